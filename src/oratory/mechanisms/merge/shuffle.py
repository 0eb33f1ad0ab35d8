"""Heads in random order."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import Merge, Shape


@dataclass(frozen=True, kw_only=True)
class Shuffle(Merge):
    """The heads side by side in a random order, a new one each time in training.

    Each order follows from the seed and from how many came before it; outside of training it is the first one.
    """

    at_inference: bool = True
    """Whether it is done outside of training too."""

    def build(self, shape: Shape) -> "Shuffler":
        return Shuffler(self, shape)


class Shuffler(nn.Module):
    """Keeps its seed and how many orders it has drawn in buffers, so that a model read back draws the same ones."""

    seed: Tensor
    drawn: Tensor

    def __init__(self, settings: Shuffle, shape: Shape) -> None:
        super().__init__()
        self.settings = settings
        self.register_buffer("seed", torch.tensor(shape.seed % 2**63))
        self.register_buffer("drawn", torch.zeros((), dtype=torch.int64))

    def merge(self, heads: Tensor, training: bool) -> Tensor:
        if not training and not self.settings.at_inference:
            return heads
        number = int(self.drawn) if training else 0
        generator = torch.Generator().manual_seed((int(self.seed) * 1_000_003 + number) % 2**63)
        order = torch.randperm(heads.shape[2], generator=generator)
        if training:
            self.drawn += 1
        return heads[:, :, order.to(heads.device)]
