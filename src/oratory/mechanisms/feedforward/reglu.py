"""A linear unit with a ReLU as its gate."""

from dataclasses import dataclass

from torch import nn
from torch.nn.functional import relu

from oratory.mechanisms.feedforward.swiglu import GatedMaps, Swiglu


@dataclass(frozen=True, kw_only=True)
class Reglu(Swiglu):
    """W2 (relu(W1 x) * W3 x). Unless given, the hidden width is 8/3 of the model's, so that three maps cost as much as
    the usual two.
    """

    def build(self, width: int) -> nn.Module:
        return GatedMaps(width, self.hidden or round(8 * width / 3), self.bias, relu)
