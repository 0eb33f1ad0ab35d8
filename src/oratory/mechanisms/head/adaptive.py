"""Fewer weights for rare tokens."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.bands import bands, check_bands
from oratory.mechanisms.kinds import Head, Shape


@dataclass(frozen=True, kw_only=True)
class Adaptive(Head):
    """p(w) = p(w) for frequent tokens and p(band) p(w | band) for rare ones; band b sees x in D / factor^b numbers.

    The probabilities of all tokens are computed, so that they sum to one; what it saves is weights.
    """

    paper = "Grave et al., 2017 (arXiv:1609.04309)"
    table = False
    normalised = True

    frequent: float = 0.1
    """The share of the vocabulary that is in the first band, that of the frequent tokens."""
    common: float = 0.4
    """The share that is in the first two bands; the rest is in the third."""
    factor: int = 4
    """How much narrower each band is than the one before."""

    def check(self, shape: Shape) -> None:
        super().check(shape)
        check_bands(self.frequent, self.common, self.factor)

    def build(self, shape: Shape) -> "BandHead":
        return BandHead(shape, (self.frequent, self.common), self.factor)


class BandHead(nn.Module):
    """The frequent tokens with one entry for each band, and two maps for each band."""

    def __init__(self, shape: Shape, shares: tuple[float, float], factor: int) -> None:
        super().__init__()
        (_, self.frequent, _), *rare = bands(shape.vocabulary, shape.width, shares, factor)
        self.first = nn.Linear(shape.width, self.frequent + len(rare), bias=shape.head_bias)
        self.narrow = nn.ModuleList(nn.Linear(shape.width, width, bias=False) for _, _, width in rare)
        self.rare = nn.ModuleList(nn.Linear(width, end - first, bias=shape.head_bias) for first, end, width in rare)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x).log_softmax(-1)
        parts = [first[..., : self.frequent]]
        for band, (narrow, rare) in enumerate(zip(self.narrow, self.rare, strict=True)):
            parts.append(rare(narrow(x)).log_softmax(-1) + first[..., self.frequent + band, None])
        return torch.cat(parts, dim=-1)
