"""A few tokens before, each with its weight."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import conv1d, pad

from oratory.errors import InputError
from oratory.mechanisms.kinds import Mixer, Shape


@dataclass(frozen=True, kw_only=True)
class ShortConvolution(Mixer):
    """Attention is given x_t + sum over i of w_i x_(t-i), for the token and a few before it, with learned weights for
    each column. This is a Canon layer before attention; an encoder, too, looks to the left only.
    """

    paper = "Allen-Zhu, 2025 (arXiv:2512.17351)"

    size: int = 4
    """Tokens that are looked at, the token itself among them."""

    def check(self, shape: Shape) -> None:
        if self.size < 2:
            raise InputError(f"short-convolution(size={self.size}): at least 2 tokens are needed.")

    def build(self, shape: Shape) -> "Convolution":
        return Convolution(shape.width, self.size)


class Convolution(nn.Module):
    """The weights of each column, those of the farthest token first."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        bound = size**-0.5
        self.weight = nn.Parameter(torch.empty(width, 1, size).uniform_(-bound, bound))

    def mix(self, x: Tensor, keep: Tensor | None) -> Tensor:
        size = self.weight.shape[-1]
        columns = pad(x.transpose(1, 2), (size - 1, 0))  # B, D, T + size - 1
        return x + conv1d(columns, self.weight, groups=x.shape[-1]).transpose(1, 2)
