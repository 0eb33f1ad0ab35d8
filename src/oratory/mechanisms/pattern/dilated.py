"""A window with gaps."""

from dataclasses import dataclass

from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import Pattern, Shape


@dataclass(frozen=True, kw_only=True)
class Dilated(Pattern):
    """A window with gaps: of the tokens to one side a token sees itself and every gap-th one, size in all."""

    paper = "Beltagy et al., 2020 (arXiv:2004.05150)"

    size: int = 8
    """How many tokens a token sees to one side, itself included."""
    gap: int = 2
    """The distance between two of them."""

    def check(self, shape: Shape) -> None:
        if self.size < 1 or self.gap < 1:
            raise InputError(f"dilated(size={self.size},gap={self.gap}): both must be at least 1.")

    def allow(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        distance = (q_positions - k_positions).abs()
        return (distance < self.size * self.gap) & (distance % self.gap == 0)
