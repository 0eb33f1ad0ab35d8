"""Values that remember the first layer."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import Attention, Shape


@dataclass(frozen=True, kw_only=True)
class ValueResidual(Attention):
    """From the second layer on, values are (1 - l) v + l v1, where v1 are those of the first layer; l is learned for
    each layer, and starts at one half.
    """

    paper = "Zhou et al., 2024 (arXiv:2410.17897)"

    def build(self, shape: Shape) -> nn.Module:
        return FirstValues() if shape.layer == 0 else MixedValues()


class FirstValues(nn.Module):
    """The first layer, which others remember."""

    def values(self, v: Tensor, first: Tensor) -> Tensor:
        return v


class MixedValues(nn.Module):
    """A later layer."""

    def __init__(self) -> None:
        super().__init__()
        self.share = nn.Parameter(torch.tensor(0.5))

    def values(self, v: Tensor, first: Tensor) -> Tensor:
        return v + self.share * (first - v)
