"""The first token."""

from dataclasses import dataclass

from torch import Tensor

from oratory.mechanisms.kinds import Pool


@dataclass(frozen=True, kw_only=True)
class Cls(Pool):
    """The vector of the first token, which should be <CLS>."""

    paper = "Devlin et al., 2018 (arXiv:1810.04805)"

    def pool(self, x: Tensor, mask: Tensor) -> Tensor:
        return x[:, 0] * mask[:, :1].to(x.dtype)
