"""A memory that is corrected."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import normalize, softplus

from oratory.mechanisms.kinds import Mixer, Shape
from oratory.mechanisms.parts import Projected


@dataclass(frozen=True, kw_only=True)
class GatedDelta(Mixer):
    """In place of attention: each head has a matrix S that maps keys to values. A token lets it fade by a, looks up
    what S says of its key, and corrects that by the share b of the error: S <- a S + b k (v - a S k)^T. What is found
    is S q.

    Queries and keys have length one; what a head finds is normed and multiplied by silu(W x). An encoder, too, reads
    from left to right. The paper has short convolutions besides, which are left out.
    """

    paper = "Yang et al., 2024 (arXiv:2412.06464)"
    instead: ClassVar[bool] = True

    def build(self, shape: Shape) -> "Delta":
        return Delta(shape, gated=True)


class Delta(Projected):
    """The maps of one layer."""

    def __init__(self, shape: Shape, gated: bool) -> None:
        super().__init__(shape, gated)
        self.fade = nn.Linear(shape.width, shape.heads)
        self.correct = nn.Linear(shape.width, shape.heads)
        self.rate = nn.Parameter(torch.zeros(shape.heads))

    def mix(self, x: Tensor, keep: Tensor | None) -> Tensor:
        q, k, v = (self.by_head(part(x)) for part in (self.query, self.key, self.value))
        kept = torch.exp(-self.rate.exp() * softplus(self.fade(x)))  # B, T, H
        found = delta_rule(
            normalize(q, dim=-1) * q.shape[-1] ** -0.5, normalize(k, dim=-1), v, kept, self.correct(x).sigmoid()
        )
        return self.joined(found, x)


def delta_rule(q: Tensor, k: Tensor, v: Tensor, kept: Tensor, share: Tensor) -> Tensor:
    """What each token finds (B, H, T, E), token by token; `kept` and `share` are (B, T, H)."""
    memory = q.new_zeros(*q.shape[:2], q.shape[-1], v.shape[-1])  # B, H, E, E
    found = []
    for at in range(q.shape[2]):
        key, here = k[:, :, at, :, None], slice(at, at + 1)  # B, H, E, 1
        memory = memory * kept[:, at, :, None, None]
        error = v[:, :, here] - key.transpose(-1, -2) @ memory  # B, H, 1, E
        memory = memory + key @ (error * share[:, at, :, None, None])
        found.append(q[:, :, here] @ memory)
    return torch.cat(found, dim=2)
