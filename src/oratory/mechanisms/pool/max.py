"""The largest value of each column."""

from dataclasses import dataclass

from torch import Tensor

from oratory.mechanisms.kinds import Pool


@dataclass(frozen=True, kw_only=True)
class Max(Pool):
    """The largest value of each column over the tokens, without padding."""

    paper = "Collobert et al., 2011 (arXiv:1103.0398)"

    def pool(self, x: Tensor, mask: Tensor) -> Tensor:
        largest = x.masked_fill(~mask[..., None], float("-inf")).amax(1)  # B, D
        return largest.masked_fill(~mask.any(1, keepdim=True), 0.0)
