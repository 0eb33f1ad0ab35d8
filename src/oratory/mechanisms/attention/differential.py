"""The difference of two attentions."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Attention, Shape, Sight

DEVIATION = 0.1
"""Of the vectors that decide how much of the second attention is taken off, at first."""


@dataclass(frozen=True, kw_only=True)
class Differential(Attention):
    """The columns of a head are two halves, each with a softmax: (softmax(q1 K1^T) - l softmax(q2 K2^T)) V, so that
    what both find alike is taken out. What a head finds is normed and multiplied by 1 - l0.

    l = exp(a1 b1) - exp(a2 b2) + l0 is learned for each layer; l0 = 0.8 - 0.6 exp(-0.3 layer). A half has whole pairs
    of rotary positions.
    """

    paper = "Ye et al., 2024 (arXiv:2410.05258)"
    loose = "one softmax is taken off another: rows sum to less than one, and may have negative weights"

    def check(self, shape: Shape) -> None:
        if shape.head_size % 4:
            raise InputError(f"differential halves pairs of columns; a head has {shape.head_size}, no multiple of 4.")

    def build(self, shape: Shape) -> "Difference":
        return Difference(shape)


class Difference(nn.Module):
    """The vectors of one layer, and its norm."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        half = shape.head_size // 2
        self.start = 0.8 - 0.6 * math.exp(-0.3 * shape.layer)
        self.vectors = nn.Parameter(DEVIATION * torch.randn(4, half))  # a1, b1, a2, b2
        self.norm = nn.RMSNorm(shape.head_size, eps=1e-5)
        self.columns = half

    @property
    def share(self) -> Tensor:
        """How much of the second attention is taken off."""
        one, two = (self.vectors[0] @ self.vectors[1]).exp(), (self.vectors[2] @ self.vectors[3]).exp()
        return one - two + self.start

    def weigh(self, q: Tensor, k: Tensor, sight: Sight) -> Tensor:
        # Columns i and i + E/2 are a pair, or 2i and 2i + 1: both are in the same half.
        columns = torch.arange(2 * self.columns, device=q.device)
        first = (columns % self.columns < self.columns // 2).to(q.dtype) * math.sqrt(2)  # A half has its own scale.
        halves = (first, math.sqrt(2) - first)
        one, two = (sight.hide(sight.scores(q * part, k)).softmax(-1) for part in halves)
        return one - self.share * two

    def outputs(self, out: Tensor, x: Tensor, v: Tensor) -> Tensor:
        normed: Tensor = self.norm(out) * (1 - self.start)
        return normed
