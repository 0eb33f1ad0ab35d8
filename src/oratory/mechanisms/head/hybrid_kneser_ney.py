"""What counts say, and what a network adds to it."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Head, Reading, Shape, TrainingText
from oratory.mechanisms.ngram_counts import CountedNgrams


@dataclass(frozen=True, kw_only=True)
class HybridKneserNey(Head):
    """p = softmax(log p_KN + g (W x + b)): the network learns where modified Kneser-Ney n-grams of train are wrong.

    The gate g starts at zero, so that the model starts as the n-grams. In training the token to predict is taken out of
    the counts (leave-one-out); the counts see earlier tokens only.
    """

    paper = "Li et al., 2022 (arXiv:2210.14431); Chen and Goodman, 1999"
    hybrid = "Kneser-Ney n-grams of train"
    leaves_out = True

    order: int = 3
    """Tokens of the longest n-gram."""

    @property
    def reach(self) -> int:
        return max(0, self.order - 2)

    def serves(self, output: str, causal: bool) -> bool:
        return output == "tokens" and causal

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if self.order < 1:
            raise InputError(f"Kneser-Ney needs an order of at least 1, not {self.order}.")

    def build(self, shape: Shape) -> "ResidualHead":
        return ResidualHead(shape, self.order)


class ResidualHead(nn.Linear):
    """The output layer, its gate, and the counts."""

    def __init__(self, shape: Shape, order: int) -> None:
        super().__init__(shape.width, shape.vocabulary, bias=shape.head_bias)
        self.gate = nn.Parameter(torch.zeros(()))
        self.counted = CountedNgrams(shape.vocabulary, order)

    def learn_from(self, text: TrainingText) -> None:
        self.counted.learn_from(torch.cat(list(text.texts)))

    def logits(self, x: Tensor, reading: Reading) -> Tensor:
        found: Tensor = self.counted.after(reading).log() + self.gate * self(x)
        return found
