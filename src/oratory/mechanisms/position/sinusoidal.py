"""Sinusoidal absolute positions."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kept import kept
from oratory.mechanisms.kinds import Position, Shape


@dataclass(frozen=True, kw_only=True)
class Sinusoidal(Position):
    """Fixed waves are added to the token: sin(t / base^(2i/D)) in the even columns 2i, the cosine in the odd ones."""

    paper = "Vaswani et al., 2017 (arXiv:1706.03762)"

    base: float = 10000.0
    """The longest wave is 2 pi times this."""

    def check(self, shape: Shape) -> None:
        if shape.width % 2:
            raise InputError(f"Sinusoidal positions need an even width, not {shape.width}.")
        if not self.base > 0:
            raise InputError(f"sinusoidal(base={self.base}): the base must be above 0.")

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        width = x.shape[-1]
        return x + kept(positions, (self, width, x.dtype), lambda: self.waves(positions, width).to(x.dtype))

    def waves(self, positions: Tensor, width: int) -> Tensor:
        """The vectors of positions: (T, D)."""
        column = torch.arange(0, width, 2, device=positions.device, dtype=torch.float32)
        angles = positions[:, None].float() * self.base ** (-column / width)  # T, D/2
        return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)  # T, D
