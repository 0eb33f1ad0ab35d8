"""Attention without a softmax."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor
from torch.nn.functional import elu

from oratory.mechanisms.kinds import Mixer, Shape
from oratory.mechanisms.parts import Projected

LEAST = 1e-6
"""Of the sum of a row: a text of padding has nothing to divide by."""


@dataclass(frozen=True, kw_only=True)
class LinearAttention(Mixer):
    """In place of attention: a key counts for f(q) f(k) / sum of f(q) f(k), with f(x) = elu(x) + 1.

    Its cost could be linear in the length. Here it is computed as a table of all pairs, which for short texts is
    quickest.
    """

    paper = "Katharopoulos et al., 2020 (arXiv:2006.16236)"
    instead: ClassVar[bool] = True

    def build(self, shape: Shape) -> "Linear":
        return Linear(shape, gated=False)


class Linear(Projected):
    """The maps of one layer."""

    def mix(self, x: Tensor, keep: Tensor | None) -> Tensor:
        q, k = (elu(self.by_head(part(x))) + 1 for part in (self.query, self.key))
        table = (q @ k.transpose(-1, -2)) * self.seen(x, keep)  # B, H, T, T
        table = table / table.sum(-1, keepdim=True).clamp(min=LEAST)
        return self.joined(table @ self.by_head(self.value(x)), x)
