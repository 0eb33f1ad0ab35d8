"""A learned weight for each token."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import Pool, Shape


@dataclass(frozen=True, kw_only=True)
class Attention(Pool):
    """A weighted mean: one learned query scores every token, a softmax without padding makes weights."""

    paper = "Lin et al., 2017 (arXiv:1703.03130)"

    def build(self, shape: Shape) -> "AttentionPool":
        return AttentionPool(shape.width)


class AttentionPool(nn.Module):
    """The learned query."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.query = nn.Linear(width, 1, bias=False)

    def pool(self, x: Tensor, mask: Tensor) -> Tensor:
        scores = self.query(x).squeeze(-1)  # B, T
        # A row of padding alone would have no weight to give; it gets zeros.
        scores = scores.masked_fill(~mask, torch.finfo(x.dtype).min)
        weights = scores.softmax(-1) * mask
        return torch.einsum("bt,btd->bd", weights, x)
