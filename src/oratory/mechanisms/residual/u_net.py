"""Late layers hear early ones."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import BlockShape, Residual


@dataclass(frozen=True, kw_only=True)
class UNet(Residual):
    """A layer of the second half has what entered its mirror image of the first half added, times a learned number that
    starts at one: the last layer hears what the first one heard.
    """

    name: ClassVar[str] = "u-net"
    paper = "Jordan et al., 2024, modded-nanogpt; after Ronneberger et al., 2015, U-Net"
    uniform = False

    def build(self, shape: BlockShape) -> nn.Module:
        return Skip(shape.layers - 1 - shape.layer if 2 * shape.layer > shape.layers - 1 else None)


class Skip(nn.Module):
    """A layer, and which one it hears."""

    def __init__(self, mirror: int | None) -> None:
        super().__init__()
        self.mirror = mirror
        self.share = None if mirror is None else nn.Parameter(torch.ones(1))

    def enter(self, entered: list[Tensor], left: list[Tensor]) -> Tensor:
        if self.mirror is None or self.share is None:
            return left[-1]
        return left[-1] + self.share * entered[self.mirror]
