"""Rotary positions that fade with the distance."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kept import kept
from oratory.mechanisms.kinds import Shape
from oratory.mechanisms.position.rope import Rope

GAMMA = 0.4


@dataclass(frozen=True, kw_only=True)
class Xpos(Rope):
    """Rotary positions, with pair i of a query at t multiplied by z_i^(t/reach) and that of a key at s by
    z_i^(-s/reach), where z_i = (2i/R + 0.4) / 1.4: products of fast pairs fade with the distance t - s.

    In an encoder they grow to the right as they fade to the left; the paper is about decoders.
    """

    paper = "Sun et al., 2022 (arXiv:2212.10554)"

    reach: float = 512.0
    """Tokens over which a pair fades by its factor z."""

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if not self.reach > 0:
            raise InputError(f"xpos(reach={self.reach}): the reach must be above 0.")

    def rotate(self, q: Tensor, k: Tensor, q_positions: Tensor, k_positions: Tensor) -> tuple[Tensor, Tensor]:
        return (
            self.turn(q, q_positions) * self._fading(q, q_positions, 1),
            self.turn(k, k_positions) * self._fading(k, k_positions, -1),
        )

    def _fading(self, x: Tensor, positions: Tensor, sign: int) -> Tensor:
        turned = self.turned(x.shape[-1])
        key = (self, "fading", x.shape[-1], sign, x.dtype)
        return kept(positions, key, lambda: self._powers(positions, turned, x, sign))

    def _powers(self, positions: Tensor, turned: int, x: Tensor, sign: int) -> Tensor:
        pair = torch.arange(0, turned, 2, device=x.device, dtype=torch.float32)
        bases = (pair / turned + GAMMA) / (1 + GAMMA)  # R/2
        powers = bases ** (sign * positions[:, None].float() / self.reach)  # T, R/2
        both = torch.cat([powers, powers], dim=-1) if self.layout == "half" else powers.repeat_interleave(2, dim=-1)
        if turned < x.shape[-1]:
            both = torch.cat([both, both.new_ones(positions.shape[0], x.shape[-1] - turned)], dim=-1)
        return both.to(x.dtype)
