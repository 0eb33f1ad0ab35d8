"""Rotary positions in some layers, and none in the others."""

from dataclasses import dataclass
from typing import ClassVar

from oratory.errors import InputError
from oratory.mechanisms.kinds import Shape
from oratory.mechanisms.position.rope import Rope


@dataclass(frozen=True, kw_only=True)
class RopeNope(Rope):
    """Rotary positions, but in every n-th layer none at all: there a token is found by what it is, however far away.

    The layers 1, 2, ... have positions unless their number is a multiple of `every`.
    """

    name: ClassVar[str] = "rope-nope"
    paper = "Yang et al., 2025 (arXiv:2501.18795)"

    every: int = 2
    """Which layers have no positions: 2 for every other one, 4 for every fourth (SmolLM3)."""

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if self.every < 2:
            raise InputError(f"rope-nope(every={self.every}): it must be at least 2; position=none has no positions.")
        if self.every > shape.layers:
            raise InputError(
                f"rope-nope(every={self.every}) would be rope in all of {shape.layers} layers; take layers="
                f"{self.every} or more."
            )

    def used(self, layer: int) -> bool:
        return (layer + 1) % self.every != 0
