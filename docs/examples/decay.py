"""A mechanism of one's own: scores fall with the square root of the distance, at a rate that each head learns."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms import Position, Scene, Shape


@dataclass(frozen=True, kw_only=True)
class Decay(Position):
    """Each head h takes r_h sqrt(|t - s|) off the score of a key s at the query t, with a learned rate r_h."""

    start: float = 0.5
    """The rate of every head at the start."""

    def build(self, shape: Shape) -> nn.Module:
        return Rates(self.start, shape.heads)


class Rates(nn.Module):
    def __init__(self, start: float, heads: int) -> None:
        super().__init__()
        self.rate = nn.Parameter(torch.full((heads, 1, 1), start))

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        return -self.rate * scene.distance[:, None].abs().sqrt()
