"""Several softmaxes, mixed."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from oratory.errors import InputError
from oratory.mechanisms.kinds import Head, Shape


@dataclass(frozen=True, kw_only=True)
class MixtureOfSoftmaxes(Head):
    """p = sum over k of a_k softmax(W tanh(P_k x) + b), where a = softmax(A x).

    One softmax of W x can only give log-probabilities of the rank of W; a mixture has no such limit.
    """

    paper = "Yang et al., 2018 (arXiv:1711.03953)"
    normalised = True

    softmaxes: int = 4
    """How many are mixed."""

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if self.softmaxes < 2:
            raise InputError(f"A mixture needs at least 2 softmaxes, not {self.softmaxes}.")

    def build(self, shape: Shape) -> "MixedHead":
        return MixedHead(shape, self.softmaxes)


class MixedHead(nn.Linear):
    """The output layer that all softmaxes share, their maps, and their shares."""

    def __init__(self, shape: Shape, softmaxes: int) -> None:
        super().__init__(shape.width, shape.vocabulary, bias=shape.head_bias)
        self.shares = nn.Linear(shape.width, softmaxes)
        self.maps = nn.Linear(shape.width, softmaxes * shape.width)

    def forward(self, x: Tensor) -> Tensor:
        vectors = self.maps(x).tanh().unflatten(-1, (-1, x.shape[-1]))  # ..., K, D
        each = linear(vectors, self.weight, self.bias).log_softmax(-1)  # ..., K, V
        return torch.logsumexp(each + self.shares(x).log_softmax(-1)[..., None], dim=-2)
