"""Learned biases for buckets of distances."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Position, Scene, Shape


@dataclass(frozen=True, kw_only=True)
class T5(Position):
    """A learned number per head and bucket of distances is added to the scores; scores are not scaled.

    Half of the buckets are single distances, the others grow like the logarithm up to `reach`. Encoders use half of all
    buckets for each side. One table serves all layers.
    """

    paper = "Raffel et al., 2019 (arXiv:1910.10683)"
    one_bias = True

    buckets: int = 32
    """How many buckets there are."""
    reach: int = 128
    """Distances from here on share the last bucket."""

    def check(self, shape: Shape) -> None:
        least = 2 if shape.causal else 4
        if self.buckets < least or self.reach <= self.buckets:
            raise InputError(f"t5 needs at least {least} buckets, and a reach beyond them: {self}.")

    def scale(self, head_size: int) -> float:
        return 1.0

    def build(self, shape: Shape) -> "T5Table":
        return T5Table(self, shape)

    def bucket(self, distance: Tensor, causal: bool) -> Tensor:
        """The bucket of each distance (query minus key)."""
        count = self.buckets if causal else self.buckets // 2
        side = torch.zeros_like(distance) if causal else (distance < 0).long() * count
        distance = distance.clamp(min=0) if causal else distance.abs()
        exact = count // 2
        ratio = torch.log(distance.clamp(min=1).float() / exact) / math.log(self.reach / exact)
        far = exact + (ratio * (count - exact)).long()
        return side + torch.where(distance < exact, distance, far.clamp(max=count - 1))


class T5Table(nn.Module):
    """One number for each bucket and head."""

    def __init__(self, settings: T5, shape: Shape) -> None:
        super().__init__()
        self.settings = settings
        self.table = nn.Embedding(settings.buckets, shape.heads)

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        values: Tensor = self.table(self.settings.bucket(scene.distance, scene.causal))  # B or 1, Q, K, H
        return values.movedim(-1, 1)  # B or 1, H, Q, K
