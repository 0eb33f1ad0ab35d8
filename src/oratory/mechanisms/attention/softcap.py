"""Scores that stay within a bound."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import Attention, Shape, Sight


@dataclass(frozen=True, kw_only=True)
class Softcap(Attention):
    """Scores are bent into -cap to cap before the softmax: softmax(cap tanh(s / cap)) V."""

    paper = "Gemma Team, 2024 (arXiv:2408.00118)"

    cap: float = 50.0
    """No score is beyond this."""

    def check(self, shape: Shape) -> None:
        if not self.cap > 0:
            raise InputError(f"softcap(cap={self.cap}): it must be above 0.")

    def weigh(self, q: Tensor, k: Tensor, sight: Sight) -> Tensor:
        capped = self.cap * torch.tanh(sight.scores(q, k) / self.cap)
        return sight.hide(capped).softmax(-1)
