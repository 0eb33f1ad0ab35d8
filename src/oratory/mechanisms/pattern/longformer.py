"""A window and global tokens."""

from dataclasses import dataclass

from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import Pattern, Shape


@dataclass(frozen=True, kw_only=True)
class Longformer(Pattern):
    """A sliding window; besides, the first tokens see all, and all see them.

    One set of projections serves both kinds of attention.
    """

    paper = "Beltagy et al., 2020 (arXiv:2004.05150)"

    size: int = 8
    """How many tokens a token sees to one side, itself included."""
    global_tokens: int = 1
    """How many tokens at the start are global."""

    def check(self, shape: Shape) -> None:
        if self.size < 1 or self.global_tokens < 0:
            raise InputError(
                f"longformer(size={self.size},global_tokens={self.global_tokens}): the size must be at least 1 and "
                "the global tokens at least 0."
            )

    def allow(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        near = (q_positions - k_positions).abs() < self.size
        return near | (q_positions < self.global_tokens) | (k_positions < self.global_tokens)
