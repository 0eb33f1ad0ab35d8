"""Weights of which most are zero."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.mechanisms.kinds import Attention, Sight


@dataclass(frozen=True, kw_only=True)
class Sparsemax(Attention):
    """The weights of a query are the distribution that is nearest to its scores: max(0, s - c), with c such that they
    sum to one. Low scores get no weight at all.
    """

    paper = "Martins and Astudillo, 2016 (arXiv:1602.02068)"

    def weigh(self, q: Tensor, k: Tensor, sight: Sight) -> Tensor:
        return sparsemax(sight.hide(sight.scores(q, k)))


def sparsemax(scores: Tensor) -> Tensor:
    """The nearest distribution to each row."""
    ordered = scores.sort(dim=-1, descending=True).values
    counts = torch.arange(1, scores.shape[-1] + 1, device=scores.device, dtype=scores.dtype)
    sums = ordered.cumsum(-1) - 1
    size = (counts * ordered > sums).sum(-1, keepdim=True)  # How many keys have weight.
    return (scores - sums.gather(-1, size - 1) / size).clamp(min=0)
