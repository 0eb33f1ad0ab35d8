"""The head of a classifier on a published encoder, with the same initial values in both engines."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from oratory.seeds import derive

SPREAD = 0.02
"""The standard deviation of new matrices, as in BERT (Devlin et al., 2018); new biases are zero."""

HEADS: dict[str, dict[str, str]] = {
    "bert": {"head.dense": "bert.pooler.dense", "head.out": "classifier"},
    "roberta": {"head.dense": "classifier.dense", "head.out": "classifier.out_proj"},
}
"""Where transformers has the parts of our head, by family."""

MEAN_HEAD = {"head.out": "classifier"}
"""The same where the mean token is classified."""


def initial_value(name: str, shape: torch.Size, seed: int) -> Tensor:
    """The value of a parameter that no file holds; `name` is what transformers calls it."""
    if len(shape) < 2:
        return torch.zeros(shape)
    return torch.empty(shape).normal_(0.0, SPREAD, generator=torch.Generator().manual_seed(derive(seed, name)))


def names_of_head(family: str, pool: str) -> Mapping[str, str]:
    """Our modules of the head, and what transformers calls them."""
    return MEAN_HEAD if pool == "mean" else HEADS[family]


class Head(nn.Module):
    """Dropout and a linear map; where the first token is classified, a dense layer with tanh before them."""

    def __init__(self, width: int, classes: int, rate: float, dense: bool, drop_first: bool) -> None:
        super().__init__()
        self.dense = nn.Linear(width, width) if dense else None
        self.out = nn.Linear(width, classes)
        self.rate, self.drop_first = rate, drop_first

    def forward(self, x: Tensor) -> Tensor:
        if self.dense is not None:
            first = dropout(x, self.rate, self.training) if self.drop_first else x
            x = self.dense(first).tanh()
        logits: Tensor = self.out(dropout(x, self.rate, self.training))
        return logits
