"""A window and a grid."""

from dataclasses import dataclass

from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import Pattern, Shape


@dataclass(frozen=True, kw_only=True)
class Strided(Pattern):
    """A token sees those at a distance below stride, and every stride-th token of the text.

    The far tokens are at stride - 1, 2 stride - 1 and so on, the same ones for all: the paper's fixed kind, whose
    cost falls to the length times its square root.
    """

    paper = "Child et al., 2019 (arXiv:1904.10509)"

    stride: int = 8
    """The distance between two of the far tokens; best near the square root of the text's length."""

    def check(self, shape: Shape) -> None:
        if self.stride < 1:
            raise InputError(f"strided(stride={self.stride}): the stride must be at least 1.")

    def allow(self, q_positions: Tensor, k_positions: Tensor) -> Tensor:
        near = (q_positions - k_positions).abs() < self.stride
        return near | (k_positions % self.stride == self.stride - 1)
