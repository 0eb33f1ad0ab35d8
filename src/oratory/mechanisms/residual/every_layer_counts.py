"""Each layer chooses among the layers before it."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import BlockShape, Residual


@dataclass(frozen=True, kw_only=True)
class EveryLayerCounts(Residual):
    """What enters a layer is a weighted mean of the embedding and of what each layer before it has added, in place of
    their sum. The weights are the softmax of learned numbers, of which that of the last layer starts at one and the
    others at zero.
    """

    paper = "Charpentier and Samuel, 2023 (arXiv:2311.02265)"
    uniform = False

    def build(self, shape: BlockShape) -> nn.Module:
        return Chosen(shape.layer)


class Chosen(nn.Module):
    """A number for each layer before this one, and one for the embedding; the first layer has no choice."""

    def __init__(self, layer: int) -> None:
        super().__init__()
        start = torch.zeros(layer + 1)
        start[-1] = 1.0
        self.weights = nn.Parameter(start) if layer else None

    def enter(self, entered: list[Tensor], left: list[Tensor]) -> Tensor:
        if self.weights is None:
            return left[0]
        added = [left[0], *(after - before for before, after in zip(entered, left[1:], strict=True))]
        weights = self.weights.softmax(-1)
        return torch.stack([weight * part for weight, part in zip(weights, added, strict=True)]).sum(0)
