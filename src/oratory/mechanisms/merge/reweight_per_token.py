"""Heads weighted by their norm at each token."""

from dataclasses import dataclass

from torch import Tensor
from torch.linalg import vector_norm

from oratory.mechanisms.kinds import Merge


@dataclass(frozen=True, kw_only=True)
class ReweightPerToken(Merge):
    """Each head times its norm at this token, over the mean norm of the heads there: y_h ||y_h|| / mean ||y||.

    It depends on nothing but the token itself, and keeps the size of the whole.
    """

    at_inference: bool = True
    """Whether it is done outside of training too."""

    def merge(self, heads: Tensor, training: bool) -> Tensor:
        if not training and not self.at_inference:
            return heads
        norms: Tensor = vector_norm(heads, dim=-1, keepdim=True)  # B, T, H, 1
        return heads * norms / norms.mean(dim=2, keepdim=True).clamp(min=1e-6)
