"""A gated linear unit."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.functional import silu

from oratory.mechanisms.kinds import Feedforward


@dataclass(frozen=True, kw_only=True)
class Swiglu(Feedforward):
    """W2 (silu(W1 x) * W3 x). Unless given, the hidden width is 8/3 of the model's, so that three maps cost as much
    as the usual two.
    """

    paper = "Shazeer, 2020 (arXiv:2002.05202)"

    bias: bool = False
    """Whether its linear maps have a bias."""

    def build(self, width: int) -> nn.Module:
        return GatedMaps(width, self.hidden or round(8 * width / 3), self.bias, silu)


class GatedMaps(nn.Module):
    """Up, gated, down."""

    def __init__(self, width: int, hidden: int, bias: bool, activation: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.activation = activation
        self.gate = nn.Linear(width, hidden, bias=bias)
        self.up = nn.Linear(width, hidden, bias=bias)
        self.down = nn.Linear(hidden, width, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        out: Tensor = self.down(self.activation(self.gate(x)) * self.up(x))
        return out
