"""Attention with linear biases."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.mechanisms.kinds import Position, Scene


@dataclass(frozen=True, kw_only=True)
class Alibi(Position):
    """Each head h takes m_h |t - s| off the score of a key s at the query t; m_h falls geometrically over the heads.

    In an encoder the distance counts to both sides.
    """

    paper = "Press et al., 2021 (arXiv:2108.12409)"
    one_bias = True

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        slope = torch.tensor(slopes(q.shape[1]), dtype=q.dtype, device=q.device)  # H
        return -slope[:, None, None] * scene.distance[:, None].abs().to(q.dtype)  # B or 1, H, Q, K


def slopes(heads: int) -> list[float]:
    """The paper's slopes: 2^(-8/n), 2^(-16/n), ... for n a power of two; else those of the power of two below, and
    every other one of the power of two above."""
    below = 2 ** (heads.bit_length() - 1)
    own = [2 ** (-8 * (head + 1) / below) for head in range(below)]
    above = [2 ** (-4 * (head + 1) / below) for head in range(0, 2 * below, 2)]
    return own + above[: heads - below]
