"""The depth of a parameter: embeddings at depth 0, then the blocks, and the head above them all.

Names are those of our own modules or of transformers.
"""

import re
from collections.abc import Iterable

from torch import nn

from oratory.errors import InputError
from oratory.training.origins.published.config import FineTuneConfig

_BLOCK = re.compile(r"(?:^|\.)(?:blocks?|\w*layers?|h)\.(\d+)\.")
_EMBEDDINGS = re.compile(r"(?:^|\.)(?:\w*embed\w*|wte|wpe|tokens|types|position)\.")
_LORA = re.compile(r"\.lora_[AB]\.")


def depth_of(name: str, layers: int) -> int:
    """0 for embeddings, 1 to `layers` for the blocks, and one more for the parts above them."""
    block = _BLOCK.search(name)
    if block is not None:
        return int(block[1]) + 1
    return 0 if _EMBEDDINGS.search(name) else layers + 1


def is_lora(name: str) -> bool:
    """Whether a parameter is a part of a low-rank change."""
    return _LORA.search(name) is not None


def freeze(model: nn.Module, chosen: FineTuneConfig, layers: int) -> None:
    """Exclude from training what is frozen."""
    if chosen.freeze.isdecimal() and int(chosen.freeze) > layers:
        raise InputError(f"freeze={chosen.freeze}: the model has {layers} layers; freeze=all leaves the head alone.")
    lowest = {"none": 0, "embeddings": 1, "all": layers + 1}.get(chosen.freeze)
    lowest = int(chosen.freeze) + 1 if lowest is None else lowest
    for name, parameter in model.named_parameters():
        depth = depth_of(name, layers)
        low_rank_only = bool(chosen.lora) and not is_lora(name) and depth <= layers
        parameter.requires_grad_(depth >= lowest and not low_rank_only)


def factors(names: Iterable[str], decay: float, layers: int) -> dict[str, float]:
    """The factor of each parameter's learning rate: one at the head, and less by `decay` with each step down."""
    return {} if decay == 1 else {name: decay ** (layers + 1 - depth_of(name, layers)) for name in names}


def components(model: nn.Module, layers: int) -> dict[str, int]:
    """Parameters by the part of the model."""
    counts: dict[str, int] = {}
    for name, parameter in model.named_parameters():
        depth = depth_of(name, layers)
        part = "low rank" if is_lora(name) else "embeddings" if not depth else "blocks" if depth <= layers else "head"
        counts[part] = counts.get(part, 0) + parameter.numel()
    return counts
