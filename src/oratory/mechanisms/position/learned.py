"""Learned absolute positions."""

from dataclasses import dataclass

from torch import Tensor, nn

from oratory.mechanisms.kinds import Position, Shape


@dataclass(frozen=True, kw_only=True)
class Learned(Position):
    """A learned vector for each position is added to the token: x_t + p_t."""

    paper = "Gehring et al., 2017 (arXiv:1705.03122)"

    def limit(self, shape: Shape) -> int:
        return shape.context

    def build(self, shape: Shape) -> "LearnedTable":
        return LearnedTable(shape)


class LearnedTable(nn.Module):
    """One vector for each position."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.table = nn.Embedding(shape.context, shape.width)

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        vectors: Tensor = self.table(positions)  # T, D
        return x + vectors
