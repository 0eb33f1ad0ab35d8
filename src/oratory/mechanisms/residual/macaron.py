"""Half a feed-forward part on each side of attention."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn

from oratory.mechanisms.kinds import BlockShape, Residual, Shape, refuse_post


@dataclass(frozen=True, kw_only=True)
class Macaron(Residual):
    """A block has a second feed-forward part before attention, and half of each is added: x + f1/2, + attention, +
    f2/2. The paper makes each of them half as wide, so that the model does not grow; here that is for `feedforward` to
    say.
    """

    paper = "Lu et al., 2019 (arXiv:1906.02762)"

    def check(self, shape: Shape) -> None:
        refuse_post("macaron", shape)

    def build(self, shape: BlockShape) -> nn.Module:
        return SecondFeedforward(shape)


class SecondFeedforward(nn.Module):
    """The part that comes first."""

    def __init__(self, shape: BlockShape) -> None:
        super().__init__()
        self.norm = shape.part("norm")
        self.feedforward = shape.part("feedforward")

    def block(
        self, x: Tensor, attention: Callable[[Tensor], Tensor], feedforward: Callable[[Tensor], Tensor]
    ) -> Tensor:
        first: Tensor = self.feedforward(self.norm(x))
        x = x + first / 2
        x = x + attention(x)
        return x + feedforward(x) / 2
