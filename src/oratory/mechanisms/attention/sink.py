"""A learned score of nothing."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.attention.off_by_one import with_sink
from oratory.mechanisms.kinds import Attention, Shape, Sight


@dataclass(frozen=True, kw_only=True)
class Sink(Attention):
    """A learned score b for each head takes part in the softmax and has no value: exp(s) / (exp(b) + sum of exp(s)).

    So no token has to take the weight of a head that finds nothing. This is the form of gpt-oss.
    """

    paper = "Xiao et al., 2023 (arXiv:2309.17453)"
    loose = "the sink takes a part of the weight, so rows sum to less than one"

    def build(self, shape: Shape) -> "Sinks":
        return Sinks(shape.heads)


class Sinks(nn.Module):
    """One score for each head."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.sinks = nn.Parameter(torch.zeros(heads))

    def weigh(self, q: Tensor, k: Tensor, sight: Sight) -> Tensor:
        return with_sink(sight.hide(sight.scores(q, k)), self.sinks[None, :, None, None])
