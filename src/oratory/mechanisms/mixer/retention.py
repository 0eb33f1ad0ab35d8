"""Memory that fades."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from oratory.mechanisms.kept import positions_of
from oratory.mechanisms.kinds import Mixer, Shape
from oratory.mechanisms.parts import Projected
from oratory.mechanisms.position.rope import Rope


@dataclass(frozen=True, kw_only=True)
class Retention(Mixer):
    """In place of attention: a key s counts for q_t k_s g^|t-s| / sqrt(E), with rotary positions and without a softmax;
    g is 1 - 2^(-5-h) for head h. What a head finds is normed and multiplied by silu(W x).
    """

    paper = "Sun et al., 2023, Retentive Network: A Successor to Transformer for Large Language Models"
    instead: ClassVar[bool] = True

    def check(self, shape: Shape) -> None:
        Rope().check(shape)

    def build(self, shape: Shape) -> "Retained":
        return Retained(shape, gated=True)


class Retained(Projected):
    """The maps of one layer."""

    def mix(self, x: Tensor, keep: Tensor | None) -> Tensor:
        places = positions_of(x.shape[1], x.device)
        q, k = (Rope().turn(self.by_head(part(x)), places) for part in (self.query, self.key))
        heads = torch.arange(self.heads, device=x.device, dtype=x.dtype)
        memory = torch.log1p(-(2.0 ** (-5 - heads)))[:, None, None]  # H, 1, 1
        fading = torch.exp(memory * (places[:, None] - places[None, :]).abs().to(x.dtype))
        table = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5 * fading * self.seen(x, keep)
        return self.joined(table @ self.by_head(self.value(x)), x)
