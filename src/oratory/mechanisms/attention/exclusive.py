"""What a token does not know by itself."""

from dataclasses import dataclass

from torch import Tensor

from oratory.mechanisms.kinds import Attention

LEAST = 1e-12
"""A value that is shorter than the root of this has no direction."""


@dataclass(frozen=True, kw_only=True)
class Exclusive(Attention):
    """The part of what a head finds that points along the token's own value is taken out: y - (y v) v / |v|^2."""

    paper = "Zhai, 2026 (arXiv:2603.09078)"

    def outputs(self, out: Tensor, x: Tensor, v: Tensor) -> Tensor:
        along = (out * v).sum(-1, keepdim=True) / v.square().sum(-1, keepdim=True).clamp(min=LEAST)
        return out - along * v
