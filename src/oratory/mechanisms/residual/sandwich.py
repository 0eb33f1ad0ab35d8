"""A norm on both sides."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn

from oratory.mechanisms.kinds import BlockShape, Residual


@dataclass(frozen=True, kw_only=True)
class Sandwich(Residual):
    """What a part gives is normed too before it is added: x + norm(f(norm(x))). The norm is that of the model."""

    paper = "Ding et al., 2021 (arXiv:2105.13290)"

    def build(self, shape: BlockShape) -> nn.Module:
        return SandwichNorms(shape)


class SandwichNorms(nn.Module):
    """The two norms of a block that come after its parts."""

    def __init__(self, shape: BlockShape) -> None:
        super().__init__()
        self.attention_norm = shape.part("norm")
        self.feedforward_norm = shape.part("norm")

    def add(self, x: Tensor, part: Callable[[Tensor], Tensor], name: str) -> Tensor:
        normed: Tensor = getattr(self, f"{name}_norm")(part(x))
        return x + normed
