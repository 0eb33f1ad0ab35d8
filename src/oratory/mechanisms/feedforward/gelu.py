"""Two linear maps with a GELU between."""

from dataclasses import dataclass

from torch import nn

from oratory.errors import unknown
from oratory.mechanisms.feedforward.relu import TwoMaps
from oratory.mechanisms.kinds import Feedforward, Shape


@dataclass(frozen=True, kw_only=True)
class Gelu(Feedforward):
    """W2 gelu(W1 x), where gelu(x) = x P(X < x) for X normally distributed."""

    paper = "Hendrycks and Gimpel, 2016 (arXiv:1606.08415)"

    form: str = "exact"
    """exact (BERT), or tanh for the approximation that GPT-2 uses."""

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if self.form not in ("exact", "tanh"):
            raise unknown("form of gelu", self.form, ("exact", "tanh"))

    def build(self, width: int) -> nn.Module:
        approximate = "tanh" if self.form == "tanh" else "none"
        return TwoMaps(width, self.hidden or 4 * width, self.bias, nn.GELU(approximate=approximate))
