"""Rotary positions with a larger base, for longer texts."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import Shape
from oratory.mechanisms.position.rope import Rope


@dataclass(frozen=True, kw_only=True)
class RopeNtk(Rope):
    """Rotary positions whose base is multiplied by factor^(R/(R-2)): the fastest pair turns as before, the slowest one
    factor times more slowly. R is how many columns of a head turn.
    """

    name: ClassVar[str] = "rope-ntk"
    paper = "bloc97, 2023, NTK-Aware Scaled RoPE; described by Peng et al., 2023 (arXiv:2309.00071)"

    factor: float = 4.0
    """How many times longer texts may be."""

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if not self.factor > 0:
            raise InputError(f"rope-ntk(factor={self.factor}): the factor must be above 0.")
        if self.turned(shape.head_size) < 4:
            raise InputError("rope-ntk needs at least two pairs of columns that turn.")

    def turns(self, share: Tensor) -> Tensor:
        turned = 2 * len(share)
        larger: float = self.base * self.factor ** (turned / (turned - 2))
        turns: Tensor = 1 / larger**share
        return turns
