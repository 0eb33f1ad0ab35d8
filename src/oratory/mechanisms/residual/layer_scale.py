"""A learned scale for each column of each part."""

from dataclasses import dataclass

import torch
from torch import nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import BlockShape, Residual, Shape
from oratory.mechanisms.parts import Gates, one_gate


@dataclass(frozen=True, kw_only=True)
class LayerScale(Residual):
    """Each part is multiplied by a learned vector that starts small: x + w * f(norm(x))."""

    paper = "Touvron et al., 2021 (arXiv:2103.17239)"

    start: float = 0.1
    """Every number of the vector at first; the paper takes less for deeper models."""

    def check(self, shape: Shape) -> None:
        if not self.start > 0:
            raise InputError(f"layer-scale(start={self.start}): it must be above 0.")

    def build(self, shape: BlockShape) -> nn.Module:
        return Gates(one_gate(torch.full((shape.width,), self.start)))
