"""Heads that hear each other."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import Attention, Shape, Sight


@dataclass(frozen=True, kw_only=True)
class TalkingHeads(Attention):
    """Scores are mixed over the heads before the softmax, and weights after it: P2 softmax(P1 s). Both matrices are
    learned, and start as the identity.
    """

    paper = "Shazeer et al., 2020 (arXiv:2003.02436)"
    loose = (
        "weights are mixed over the heads after the softmax: rows need not sum to one, and may have negative weights"
    )

    def build(self, shape: Shape) -> "Talk":
        return Talk(shape.heads)


class Talk(nn.Module):
    """The two matrices."""

    def __init__(self, heads: int) -> None:
        super().__init__()
        self.before = nn.Parameter(torch.eye(heads))
        self.after = nn.Parameter(torch.eye(heads))

    def weigh(self, q: Tensor, k: Tensor, sight: Sight) -> Tensor:
        scores = torch.einsum("hi,biqk->bhqk", self.before, sight.scores(q, k))
        return torch.einsum("hi,biqk->bhqk", self.after, sight.hide(scores).softmax(-1))
