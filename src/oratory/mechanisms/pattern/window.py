"""A sliding window."""

from dataclasses import dataclass

from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import Pattern, Shape


@dataclass(frozen=True, kw_only=True)
class Window(Pattern):
    """A token sees itself and the size - 1 before it; in an encoder, every token at a distance below size."""

    paper = "Beltagy et al., 2020 (arXiv:2004.05150)"

    size: int = 8
    """How many tokens a token sees to one side, itself included."""

    def check(self, shape: Shape) -> None:
        if self.size < 1:
            raise InputError(f"window(size={self.size}): a window must hold at least the token itself, size 1.")

    def allow(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return (q_positions - k_positions).abs() < self.size
