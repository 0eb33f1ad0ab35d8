"""The products of sinusoidal positions, as a bias."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import Position, Scene, Shape


@dataclass(frozen=True, kw_only=True)
class Sandwich(Position):
    """Head h of H, counted from 1, adds H/(8h) times the sum over i of cos(|t - s| / 10000^(2i/W)) to the score of a
    key s at the query t: what the sinusoidal vectors of the two positions, of width W, have as their product.

    It falls with the distance, fast at first and then slowly. In an encoder the distance counts to both sides.
    """

    paper = "Chi et al., 2022 (arXiv:2212.10356)"
    one_bias = True

    waves: int = 128
    """The width W of the sinusoidal vectors; it needs not be that of the model."""

    def check(self, shape: Shape) -> None:
        if self.waves < 2 or self.waves % 2:
            raise InputError(f"sandwich(waves={self.waves}): it must be even, and at least 2.")

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        heads = q.shape[1]
        products = self._waves(scene.q_positions) @ self._waves(scene.k_positions).transpose(-1, -2)  # B or 1, Q, K
        share = heads / (8 * torch.arange(1, heads + 1, device=q.device, dtype=torch.float32))  # H
        return (share[:, None, None] * products[:, None]).to(q.dtype)  # B or 1, H, Q, K

    def _waves(self, positions: Tensor) -> Tensor:
        """The sinusoidal vectors of positions (B or 1, T): (B or 1, T, W)."""
        pairs = self.waves // 2
        turns = 10000.0 ** -(torch.arange(pairs, device=positions.device, dtype=torch.float32) / pairs)
        angles = positions[..., None].float() * turns
        return torch.cat([angles.sin(), angles.cos()], dim=-1)
