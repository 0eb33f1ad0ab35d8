"""Relative positions with biases of their own for content and place."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Position, Scene, Shape


@dataclass(frozen=True, kw_only=True)
class TransformerXl(Position):
    """The score of a key s at the query t is ((q_t + u) k_s + (q_t + v) W r(t - s)) / sqrt(E), where r(d) has the sines
    and cosines of the distance, and u and v are learned for each head. Layers share W, u and v.
    """

    name: ClassVar[str] = "transformer-xl"
    paper = "Dai et al., 2019 (arXiv:1901.02860)"

    base: float = 10000.0
    """The longest wave has about 2 pi times this many tokens."""

    def check(self, shape: Shape) -> None:
        if shape.width % 2:
            raise InputError(
                f"transformer-xl has sines and cosines in pairs, and needs an even width, not {shape.width}."
            )
        if not self.base > 0:
            raise InputError(f"transformer-xl(base={self.base}): the base must be above 0.")

    def build(self, shape: Shape) -> "TransformerXlBias":
        return TransformerXlBias(self.base, shape)


class TransformerXlBias(nn.Module):
    """The map of waves to keys, and the two biases."""

    def __init__(self, base: float, shape: Shape) -> None:
        super().__init__()
        self.base, self.shape = base, shape
        self.waves = nn.Linear(shape.width, shape.heads * shape.head_size, bias=False)
        self.content = nn.Parameter(torch.zeros(shape.heads * shape.head_size))  # Flat, as biases are: no decay.
        self.place = nn.Parameter(torch.zeros(shape.heads * shape.head_size))  # Flat, as biases are: no decay.

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        distance = scene.distance[:, None]  # B or 1, 1, Q, K
        reach = int(torch.maximum(scene.q_positions.amax(), scene.k_positions.amax())) + 1
        distances = torch.arange(-reach + 1, reach, device=q.device, dtype=q.dtype)  # N
        pair = torch.arange(0, self.shape.width, 2, device=q.device, dtype=q.dtype)
        angles = distances[:, None] * (1 / self.base ** (pair / self.shape.width))
        keys = self.waves(torch.cat([angles.sin(), angles.cos()], dim=-1))  # N, H E
        keys = keys.view(-1, self.shape.heads, self.shape.head_size).transpose(0, 1)  # H, N, E
        content, place = (part.view(self.shape.heads, 1, -1) for part in (self.content, self.place))
        of_distances = (q + place) @ keys.transpose(-1, -2)  # B, H, Q, N
        index = (distance + reach - 1).expand(*q.shape[:3], k.shape[2])
        of_content = (content @ k.transpose(-1, -2)).expand(*q.shape[:3], k.shape[2])
        found: Tensor = (of_distances.gather(-1, index) + of_content) * scene.scale
        return found
