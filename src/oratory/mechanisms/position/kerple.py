"""A learned logarithm of the distance."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import Position, Scene, Shape

LEAST = 0.01
"""Both numbers of a head stay above this, so that far keys never count for more."""


@dataclass(frozen=True, kw_only=True)
class Kerple(Position):
    """Each head takes r log(1 + p |t - s|) off the score of a key s at the query t, with r and p learned.

    This is the logarithmic kernel of the paper.
    """

    paper = "Chi et al., 2022 (arXiv:2205.09921)"
    one_bias = True

    def build(self, shape: Shape) -> "KerpleKernel":
        return KerpleKernel(shape.heads)


class KerpleKernel(nn.Module):
    """Two numbers for each head."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.height = nn.Parameter(2 * torch.rand(heads))
        self.slope = nn.Parameter(torch.rand(heads))

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        height, slope = (part.clamp(min=LEAST)[:, None, None] for part in (self.height, self.slope))
        distance = scene.distance[:, None].abs().to(q.dtype)  # B or 1, 1, Q, K
        found: Tensor = -height * torch.log1p(slope * distance)
        return found
