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
    if _is_traced():
        return make()
    found = _KEPT.get(positions)
    if found is None:
        found = _KEPT[positions] = {}
    if key not in found:
        found[key] = make()
    value: T = found[key]
    return value


def positions_of(length: int, device: torch.device) -> Tensor:
    """The positions of a text's tokens: for the same length the same tensor."""
    return torch.arange(length, device=device) if _is_traced() else _positions(length, device)


@lru_cache(maxsize=64)
def _positions(length: int, device: torch.device) -> Tensor:
    return torch.arange(length, device=device)


def _is_traced() -> bool:
    """Whether there are no values now, or only such as cannot be used elsewhere."""
    return torch.compiler.is_compiling() or torch.is_inference_mode_enabled()
