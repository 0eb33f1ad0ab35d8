"""Heads moved by one place."""

from dataclasses import dataclass

from torch import Tensor

from oratory.mechanisms.kinds import Merge


@dataclass(frozen=True, kw_only=True)
class Shift(Merge):
    """The heads side by side, each moved by some places to the right, the last ones to the front."""

    places: int = 1
    """How many places a head moves."""
    at_inference: bool = True
    """Whether it is done outside of training too."""

    def merge(self, heads: Tensor, training: bool) -> Tensor:
        return heads.roll(self.places, dims=2) if training or self.at_inference else heads
