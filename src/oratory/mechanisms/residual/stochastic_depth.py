"""Parts that training leaves out by chance."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import BlockShape, Residual, Shape


@dataclass(frozen=True, kw_only=True)
class StochasticDepth(Residual):
    """In training each part is left out of an update by chance, and otherwise divided by the chance to be kept. Layer l
    of L is left out with the chance rate (l + 1)/L.
    """

    paper = "Huang et al., 2016 (arXiv:1603.09382)"

    rate: float = 0.1
    """How often the last layer is left out."""

    def check(self, shape: Shape) -> None:
        if not 0 < self.rate < 1:
            raise InputError(f"stochastic-depth(rate={self.rate}): it must lie above 0 and below 1.")

    def build(self, shape: BlockShape) -> nn.Module:
        return Chance(self.rate * (shape.layer + 1) / shape.layers)


class Chance(nn.Module):
    """A layer, and how often it is left out."""

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.rate = rate

    def add(self, x: Tensor, part: Callable[[Tensor], Tensor], name: str) -> Tensor:
        if not self.training:
            return x + part(x)
        # One number for the whole batch. Every part is computed, so that every parameter has a gradient.
        kept = (torch.rand((), device=x.device) >= self.rate).to(x.dtype) / (1 - self.rate)
        return x + kept * part(x)
