"""Rotary positions of which only the slow pairs are stretched."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import Shape
from oratory.mechanisms.position.rope import Rope


@dataclass(frozen=True, kw_only=True)
class RopeYarn(Rope):
    """Rotary positions for texts that are `factor` times longer than `length`: pairs that turn often within the length
    stay, pairs that turn less than once turn factor times more slowly, those between go from one to the other on a
    line. Queries and keys are multiplied by 0.1 ln(factor) + 1.
    """

    name: ClassVar[str] = "rope-yarn"
    paper = "Peng et al., 2023 (arXiv:2309.00071)"

    factor: float = 4.0
    """How many times longer texts may be."""
    length: int = 32
    """The length that is stretched."""
    fast: float = 32.0
    """Pairs that turn this often within the length stay as they are."""
    slow: float = 1.0
    """Pairs that turn less often than this are stretched in full."""

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if not self.factor >= 1 or self.length < 1 or not self.fast > self.slow > 0:
            raise InputError(f"rope-yarn needs a factor and a length of at least 1, and fast above slow: {self}.")

    def turns(self, share: Tensor) -> Tensor:
        turned = 2 * len(share)

        def pair_of(times: float) -> float:
            """The pair that turns so many times within the length."""
            return turned * math.log(self.length / (times * 2 * math.pi)) / (2 * math.log(self.base))

        low, high = max(math.floor(pair_of(self.fast)), 0), min(math.ceil(pair_of(self.slow)), turned - 1)
        pairs = torch.arange(len(share), dtype=torch.float32, device=share.device)
        stretched = ((pairs - low) / max(high - low, 0.001)).clamp(0, 1)
        usual = super().turns(share)
        return usual / self.factor * stretched + usual * (1 - stretched)

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        amplitude = 0.1 * math.log(self.factor) + 1
        return self.turn(q, q_positions) * amplitude, self.turn(k, k_positions) * amplitude
