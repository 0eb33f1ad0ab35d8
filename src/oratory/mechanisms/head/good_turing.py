"""A share for the tokens that the training text does not have."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import Head, Reading, Shape, TrainingText


@dataclass(frozen=True, kw_only=True)
class GoodTuring(Head):
    """p = (1 - s) softmax(W x + b) + s u: u is even over the tokens of the vocabulary that train does not have.

    s is the share of tokens in train that come once, which Good (1953) shows to be what new tokens have in a new text.
    Without it a network learns that such tokens never come. Training is that of head=linear.
    """

    paper = "Good, 1953, The Population Frequencies of Species and the Estimation of Population Parameters"

    def serves(self, output: str, causal: bool) -> bool:
        return output == "tokens" and causal

    def build(self, shape: Shape) -> "ReservingHead":
        return ReservingHead(shape)


class ReservingHead(nn.Linear):
    """The output layer, and what each token that was not met gets besides: s u."""

    plain_in_training = True

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape.width, shape.vocabulary, bias=shape.head_bias)
        self.register_buffer("reserved", torch.zeros(shape.vocabulary))
        self.reserved: Tensor

    def learn_from(self, text: TrainingText) -> None:
        counts = torch.bincount(torch.cat(list(text.texts)), minlength=self.out_features).to(self.reserved.device)
        new = counts == 0
        if new.any():
            self.reserved.copy_(new * ((counts == 1).sum() / counts.sum() / new.sum()))

    def logits(self, x: Tensor, reading: Reading) -> Tensor:
        found: Tensor = self(x)
        if self.training:
            return found
        return ((1 - self.reserved.sum()) * found.float().softmax(-1) + self.reserved).log()
