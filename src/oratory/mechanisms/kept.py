"""What follows from positions alone, made once and not in every layer of every update."""

from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

T = TypeVar("T")

_KEPT: Any = WeakTensorKeyDictionary()


def kept(positions: Tensor, key: Hashable, make: Callable[[], T]) -> T:
    """What `make` gives: for the same tensor of positions and the same key, it is called once. It must not learn."""
    if torch.compiler.is_compiling():  # There are no values now.
        return make()
    found = _KEPT.get(positions)
    if found is None:
        found = _KEPT[positions] = {}
    # What is made in inference mode cannot have a part in a gradient later.
    place = (key, torch.is_inference_mode_enabled())
    if place not in found:
        found[place] = make()
    value: T = found[place]
    return value


def positions_of(length: int, device: torch.device) -> Tensor:
    """The positions of a text's tokens: for the same length the same tensor."""
    if torch.compiler.is_compiling():
        return torch.arange(length, device=device)
    return _positions(length, device, torch.is_inference_mode_enabled())


@lru_cache(maxsize=64)
def _positions(length: int, device: torch.device, inference: bool) -> Tensor:
    return torch.arange(length, device=device)
