"""Heads weighted by their norm over the batch."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor
from torch.linalg import vector_norm

from oratory.mechanisms.kinds import Merge


@dataclass(frozen=True, kw_only=True)
class Reweight(Merge):
    """Each head times the norm of all its outputs in the batch: y_h ||Y_h||.

    As a student's report did it, and not to be recommended. The norm grows with the batch, so a text alone meets other
    weights than in training; and it runs over later tokens too, so a language model learns from the future.
    `reweight-per-token` does neither.
    """

    across_tokens: ClassVar[bool] = True

    at_inference: bool = True
    """Whether it is done outside of training too."""

    def merge(self, heads: Tensor, training: bool) -> Tensor:
        if not training and not self.at_inference:
            return heads
        norms: Tensor = vector_norm(heads, dim=(0, 1, 3), keepdim=True)  # 1, 1, H, 1
        return heads * norms
