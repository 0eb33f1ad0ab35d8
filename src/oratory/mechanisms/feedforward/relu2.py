"""Two linear maps with a squared ReLU between."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from oratory.mechanisms.feedforward.relu import TwoMaps
from oratory.mechanisms.kinds import Feedforward


@dataclass(frozen=True, kw_only=True)
class ReluSquared(Feedforward):
    """W2 max(0, W1 x)^2."""

    name: ClassVar[str] = "relu2"
    paper = "So et al., 2021 (arXiv:2109.08668)"

    def build(self, width: int) -> nn.Module:
        return TwoMaps(width, self.hidden or 4 * width, self.bias, Squared())


class Squared(nn.Module):
    """The square of a ReLU."""

    def forward(self, x: Tensor) -> Tensor:
        return x.relu().square()
