"""Weights between softmax and sparsemax."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from oratory.mechanisms.kinds import Attention, Sight

FAR = -1e4
"""A score so low has no weight, and can be squared."""


@dataclass(frozen=True, kw_only=True)
class Entmax(Attention):
    """The weights of a query are max(0, s/2 - c)^2, with c such that they sum to one: half way between softmax and
    sparsemax (1.5-entmax).
    """

    paper = "Correia et al., 2019 (arXiv:1909.00015)"

    def weigh(self, q: Tensor, k: Tensor, sight: Sight) -> Tensor:
        weights: Tensor = _Entmax15.apply(sight.hide(sight.scores(q, k)))  # type: ignore[no-untyped-call]
        return weights


class _Entmax15(torch.autograd.Function):
    """The gradient has a closed form; that of the sorting would not be finite everywhere."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor) -> Tensor:
        halves = ((scores - scores.amax(-1, keepdim=True)) / 2).clamp(min=FAR)
        ordered = halves.sort(dim=-1, descending=True).values
        counts = torch.arange(1, scores.shape[-1] + 1, device=scores.device, dtype=scores.dtype)
        mean, squares = ordered.cumsum(-1) / counts, ordered.square().cumsum(-1) / counts
        spread = (1 - counts * (squares - mean.square())) / counts
        limits = mean - spread.clamp(min=0).sqrt()
        size = (limits <= ordered).sum(-1, keepdim=True)
        weights = (halves - limits.gather(-1, size - 1)).clamp(min=0).square()
        ctx.save_for_backward(weights)
        return weights

    @staticmethod
    def backward(ctx: Any, above: Tensor) -> Tensor:
        (weights,) = ctx.saved_tensors
        roots = weights.sqrt()
        found = above * roots
        gradient: Tensor = found - roots * (found.sum(-1, keepdim=True) / roots.sum(-1, keepdim=True))
        return gradient
