"""A softmax that may choose nothing."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.mechanisms.kinds import Attention, Sight


@dataclass(frozen=True, kw_only=True)
class OffByOne(Attention):
    """The weights of a query are exp(s) / (1 + sum of exp(s)): a head that finds nothing gives almost nothing."""

    paper = "Miller, 2023, Attention Is Off By One"
    loose = "what is left to one goes nowhere, so rows sum to less than one"

    def weigh(self, q: Tensor, k: Tensor, sight: Sight) -> Tensor:
        return with_sink(sight.hide(sight.scores(q, k)), q.new_zeros(1, 1, 1, 1))


def with_sink(scores: Tensor, sink: Tensor) -> Tensor:
    """The softmax over the scores and one more, whose weight is left out. The largest score may be far below zero."""
    whole = torch.cat([scores, sink.expand(*scores.shape[:3], 1)], dim=-1)
    return whole.softmax(-1)[..., :-1]
