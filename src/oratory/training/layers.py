"""Which layers of a model that is not new are trained, and how fast.

A parameter has a depth: embeddings at depth 0, then the blocks, and the head above them all. Names are those of our own
modules or of transformers.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self, get_type_hints

from oratory.errors import InputError
from oratory.settings import convert

if TYPE_CHECKING:
    from torch import nn

FREEZE = ("none", "embeddings", "all")
FREEZE_WORDS = (*FREEZE, "a number of layers")
"""What can be written for it."""

_BLOCK = re.compile(r"(?:^|\.)(?:blocks?|\w*layers?|h)\.(\d+)\.")
_EMBEDDINGS = re.compile(r"(?:^|\.)(?:\w*embed\w*|wte|wpe|tokens|types|position)\.")
_LORA = re.compile(r"\.lora_[AB]\.")


@dataclass(frozen=True, kw_only=True)
class LayerConfig:
    """What is trained of a model whose weights are there already."""

    freeze: str = "none"
    """What is not trained: none, embeddings, a number of lower layers (with the embeddings), or all but the head."""
    layer_decay: float = 1.0
    """Factor of the learning rate from each layer to the one below (Clark et al., 2020)."""

    def __post_init__(self) -> None:
        if self.freeze not in FREEZE and not self.freeze.isdecimal():
            raise InputError(f"freeze={self.freeze}: it must be {', '.join(FREEZE)}, or a number of lower layers.")
        if not 0 < self.layer_decay <= 1:
            raise InputError(f"layer_decay={self.layer_decay}: it must be above 0 and at most 1.")

    @classmethod
    def from_text(cls, given: Mapping[str, str]) -> Self:
        """From values as they are written on the command line."""
        hints = get_type_hints(cls)
        return cls(**{name: convert(value, hints[name], name) for name, value in given.items()})


def depth_of(name: str, layers: int) -> int:
    """0 for embeddings, 1 to `layers` for the blocks, and one more for the parts above them."""
    block = _BLOCK.search(name)
    if block is not None:
        return int(block[1]) + 1
    return 0 if _EMBEDDINGS.search(name) else layers + 1


def is_lora(name: str) -> bool:
    """Whether a parameter is a part of a low-rank change."""
    return _LORA.search(name) is not None


def freeze(model: "nn.Module", chosen: LayerConfig, layers: int, low_rank: bool = False) -> None:
    """Exclude from training what is frozen; with `low_rank`, all but the head and the low-rank changes."""
    if chosen.freeze.isdecimal() and int(chosen.freeze) > layers:
        raise InputError(f"freeze={chosen.freeze}: the model has {layers} layers; freeze=all leaves the head alone.")
    lowest = {"none": 0, "embeddings": 1, "all": layers + 1}.get(chosen.freeze)
    lowest = int(chosen.freeze) + 1 if lowest is None else lowest
    for name, parameter in model.named_parameters():
        depth = depth_of(name, layers)
        low_rank_only = low_rank and not is_lora(name) and depth <= layers
        parameter.requires_grad_(depth >= lowest and not low_rank_only)


def factors(names: Iterable[str], decay: float, layers: int) -> dict[str, float]:
    """The factor of each parameter's learning rate: one at the head, and less by `decay` with each step down."""
    return {} if decay == 1 else {name: decay ** (layers + 1 - depth_of(name, layers)) for name in names}


def components(model: "nn.Module", layers: int) -> dict[str, int]:
    """Parameters by the part of the model."""
    counts: dict[str, int] = {}
    for name, parameter in model.named_parameters():
        depth = depth_of(name, layers)
        part = "low rank" if is_lora(name) else "embeddings" if not depth else "blocks" if depth <= layers else "head"
        counts[part] = counts.get(part, 0) + parameter.numel()
    return counts
