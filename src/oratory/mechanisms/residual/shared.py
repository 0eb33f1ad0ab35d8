"""Layers with the same parameters."""

from dataclasses import dataclass

from oratory.errors import InputError
from oratory.mechanisms.kinds import Residual, Shape


@dataclass(frozen=True, kw_only=True)
class Shared(Residual):
    """A few blocks serve all layers, in turn; with one block every layer has the same parameters."""

    paper = "Lan et al., 2019 (arXiv:1909.11942)"
    uniform = False

    blocks: int = 1
    """How many blocks there are."""

    def check(self, shape: Shape) -> None:
        if not 1 <= self.blocks <= shape.layers:
            raise InputError(f"shared(blocks={self.blocks}): from 1 to {shape.layers}, as there are layers.")

    def block_of(self, layer: int) -> int:
        return layer % self.blocks
