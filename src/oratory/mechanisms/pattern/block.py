"""Blocks."""

from dataclasses import dataclass

from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import Pattern, Shape


@dataclass(frozen=True, kw_only=True)
class Block(Pattern):
    """The text is cut into blocks; a token sees its own block."""

    paper = "Qiu et al., 2019 (arXiv:1911.02972)"

    size: int = 8
    """Tokens in a block."""

    def check(self, shape: Shape) -> None:
        if self.size < 1:
            raise InputError(f"block(size={self.size}): a block must hold at least one token.")

    def allow(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        return q_positions // self.size == k_positions // self.size
