"""A bend instead of a norm."""

from dataclasses import dataclass, fields

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Norm, Shape


@dataclass(frozen=True, kw_only=True)
class DynamicTanh(Norm):
    """g tanh(a x) + b, with a learned number a and a learned scale and shift per column. Nothing is divided by
    anything.
    """

    paper = "Zhu et al., 2025 (arXiv:2503.10622)"

    start: float = 0.5
    """The number a at first."""

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if self.eps != next(item.default for item in fields(self) if item.name == "eps"):
            raise InputError("dynamic-tanh divides by nothing, so its eps would change nothing; leave it out.")

    def build(self, width: int) -> nn.Module:
        return Bend(width, self.start)


class Bend(nn.Module):
    """The number, the scale and the shift."""

    def __init__(self, width: int, start: float) -> None:
        super().__init__()
        self.slope = nn.Parameter(torch.full((1,), start))
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * torch.tanh(self.slope * x) + self.bias
