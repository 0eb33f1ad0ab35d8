"""What came before, read off what is predicted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, linear

from oratory.errors import InputError
from oratory.mechanisms.kinds import IGNORED, Objective, Shape


@dataclass(frozen=True, kw_only=True)
class PastDecoding(Objective):
    """The prediction p of the next token must tell which token came last: softmax(W tanh(A (p W) + a) + b) is to
    predict it, where W are the weights of the output layer. The cross-entropy of that is added, times a small weight.

    A, a and b are learned, and serve training only.
    """

    name: ClassVar[str] = "past-decoding"
    paper = "Brahma, 2018 (arXiv:1808.05908)"
    table: ClassVar[bool] = True

    weight: float = 1e-3
    """How much of it is added."""

    def serves(self, output: str, causal: bool) -> bool:
        return output == "tokens" and causal

    def check(self, shape: Shape) -> None:
        if not self.weight > 0:
            raise InputError(f"past-decoding(weight={self.weight}): it must be above 0.")
        if shape.output == "tokens" and not shape.causal:
            raise InputError("past-decoding is for language models that predict what follows.")

    def build(self, shape: Shape) -> "LastToken":
        return LastToken(self, shape)


class LastToken(nn.Module):
    """A map from predictions to what came before them."""

    def __init__(self, settings: PastDecoding, shape: Shape) -> None:
        super().__init__()
        self.weight = settings.weight
        self.map = nn.Linear(shape.width, shape.width)
        self.bias = nn.Parameter(torch.zeros(shape.vocabulary))

    def added(self, hidden: Tensor, targets: Tensor, logits: Callable[[Tensor], Tensor], count: int) -> Tensor:
        head: Any = logits
        wanted = targets[:, :-1]  # What a place was to predict is the last token of the next one.
        kept = (wanted != IGNORED) & (targets[:, 1:] != IGNORED)
        if not kept.any():
            return hidden.new_zeros(())
        p = logits(hidden[:, 1:][kept]).float().softmax(-1)  # N, V
        found = linear(self.map(p @ head.weight).tanh(), head.weight, self.bias)  # N, V
        return self.weight * cross_entropy(found, wanted[kept], reduction="sum") / count
