"""Several streams instead of one."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import BlockShape, Residual, Shape
from oratory.mechanisms.parts import PARTS


@dataclass(frozen=True, kw_only=True)
class HyperConnections(Residual):
    """n streams go from block to block. Each part sees a weighted sum of them, x a; the streams are mixed, A x, and
    each takes its share b of what the part gives. In the end they are summed up. a, A and b are learned for each part,
    and start such that the model is the usual one. This is the static form of the paper.
    """

    paper = "Zhu et al., 2024 (arXiv:2409.19606)"

    streams: int = 4
    """How many there are."""

    def check(self, shape: Shape) -> None:
        if self.streams < 2:
            raise InputError(f"hyper-connections(streams={self.streams}): at least 2 are needed.")

    def build(self, shape: BlockShape) -> nn.Module:
        return Connections(self.streams, shape.layer)

    def begin(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-2).repeat_interleave(self.streams, dim=-2)  # ..., n, D

    def end(self, x: Tensor) -> Tensor:
        return x.sum(-2)


class Connections(nn.Module):
    """How the parts of one layer hear the streams, and what the streams take of them."""

    def __init__(self, streams: int, layer: int) -> None:
        super().__init__()
        heard = torch.eye(streams)
        # Parts take the streams in turn, so that they can become different.
        first = {name: (2 * layer + number) % streams for number, name in enumerate(PARTS)}
        self.heard = nn.ParameterDict({name: nn.Parameter(heard[first[name]].clone()) for name in PARTS})
        self.mixed = nn.ParameterDict({name: nn.Parameter(torch.eye(streams)) for name in PARTS})
        self.taken = nn.ParameterDict({name: nn.Parameter(torch.ones(streams)) for name in PARTS})

    def add(self, x: Tensor, part: Callable[[Tensor], Tensor], name: str) -> Tensor:
        found = part(torch.einsum("n,...nd->...d", self.heard[name], x))
        mixed = torch.einsum("mn,...nd->...md", self.mixed[name], x)
        added: Tensor = mixed + self.taken[name][:, None] * found.unsqueeze(-2)
        return added
