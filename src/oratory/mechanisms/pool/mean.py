"""The mean token."""

from dataclasses import dataclass

from torch import Tensor

from oratory.mechanisms.kinds import Pool


@dataclass(frozen=True, kw_only=True)
class Mean(Pool):
    """The mean over the tokens, without padding."""

    paper = "Reimers and Gurevych, 2019 (arXiv:1908.10084)"

    def pool(self, x: Tensor, mask: Tensor) -> Tensor:
        kept = mask[..., None].to(x.dtype)  # B, T, 1
        return (x * kept).sum(1) / kept.sum(1).clamp(min=1)
