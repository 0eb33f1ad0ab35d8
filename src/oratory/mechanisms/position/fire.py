"""A learned function of the distance as a share of the position."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Position, Scene, Shape


@dataclass(frozen=True, kw_only=True)
class Fire(Position):
    """A small network is given log(1 + c |t - s|) / log(1 + c max(l, t, s)), between 0 and 1 whatever the length, and
    gives what each head adds to the score of a key s at the query t. c and l are learned.

    The paper is about decoders, where s is never above t; in an encoder the larger of both positions counts.
    """

    paper = "Li et al., 2023 (arXiv:2310.04418)"
    one_bias = True

    hidden: int = 32
    """Width of the network inside."""

    def check(self, shape: Shape) -> None:
        if self.hidden < 1:
            raise InputError(f"fire(hidden={self.hidden}): the width must be at least 1.")

    def build(self, shape: Shape) -> "FireNetwork":
        return FireNetwork(self.hidden, shape)


class FireNetwork(nn.Module):
    """The network, the bend of the logarithm, and the length from which on distances are shares."""

    def __init__(self, hidden: int, shape: Shape) -> None:
        super().__init__()
        self.bend = nn.Parameter(torch.tensor(0.1))
        self.length = nn.Parameter(torch.tensor(float(shape.context)))
        self.up = nn.Linear(1, hidden)
        self.heads = nn.Linear(hidden, shape.heads)

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        last = torch.maximum(scene.q_positions[..., :, None], scene.k_positions[..., None, :]).to(q.dtype)
        bend, length = self.bend.abs(), self.length.abs().clamp(min=1)
        share = torch.log1p(bend * scene.distance.abs()) / torch.log1p(bend * torch.maximum(last, length))
        found: Tensor = self.heads(torch.relu(self.up(share[..., None])))  # B or 1, Q, K, H
        return found.movedim(-1, 1)
