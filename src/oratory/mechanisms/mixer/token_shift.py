"""A part of the token before."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from oratory.mechanisms.kinds import Mixer, Shape


@dataclass(frozen=True, kw_only=True)
class TokenShift(Mixer):
    """Attention is given m x_t + (1 - m) x_(t-1), with a learned share m per column, which starts at one half."""

    paper = "Peng et al., 2023, RWKV: Reinventing RNNs for the Transformer Era"

    def build(self, shape: Shape) -> "Shift":
        return Shift(shape.width)


class Shift(nn.Module):
    """The share of each column."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.share = nn.Parameter(torch.full((width,), 0.5))

    def mix(self, x: Tensor, keep: Tensor | None) -> Tensor:
        before = pad(x, (0, 0, 1, 0))[:, :-1]  # B, T, D: each token's predecessor
        return before + self.share * (x - before)
