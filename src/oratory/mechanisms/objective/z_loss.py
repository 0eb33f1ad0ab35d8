"""Logits that stay small."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor

from oratory.errors import InputError
from oratory.mechanisms.kinds import IGNORED, Objective, Shape


@dataclass(frozen=True, kw_only=True)
class ZLoss(Objective):
    """The square of the logarithm of the sum of exp(logits) is added, times a small weight: the softmax then needs
    little normalising.

    A head that gives log-probabilities, such as adaptive, has nothing to normalise, and is refused.
    """

    name: ClassVar[str] = "z-loss"
    paper = "Chowdhery et al., 2022 (arXiv:2204.02311)"
    unnormalised: ClassVar[bool] = True

    weight: float = 1e-4
    """How much of it is added."""

    def check(self, shape: Shape) -> None:
        if not self.weight > 0:
            raise InputError(f"z-loss(weight={self.weight}): it must be above 0.")

    def added(self, hidden: Tensor, targets: Tensor, logits: Callable[[Tensor], Tensor], count: int) -> Tensor:
        of_tokens = logits(hidden[targets != IGNORED]).float()  # N, V
        return self.weight * of_tokens.logsumexp(-1).square().sum() / count
