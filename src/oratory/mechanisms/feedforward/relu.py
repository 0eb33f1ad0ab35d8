"""Two linear maps with a ReLU between."""

from dataclasses import dataclass

from torch import Tensor, nn

from oratory.mechanisms.kinds import Feedforward


@dataclass(frozen=True, kw_only=True)
class Relu(Feedforward):
    """W2 max(0, W1 x)."""

    paper = "Vaswani et al., 2017 (arXiv:1706.03762)"

    def build(self, width: int) -> nn.Module:
        return TwoMaps(width, self.hidden or 4 * width, self.bias, nn.ReLU())


class TwoMaps(nn.Module):
    """Up, an activation, down."""

    def __init__(self, width: int, hidden: int, bias: bool, activation: nn.Module) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=bias)
        self.activation = activation
        self.down = nn.Linear(hidden, width, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down(self.activation(self.up(x)))
        return out
