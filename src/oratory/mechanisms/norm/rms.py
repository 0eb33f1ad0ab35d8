"""Root mean square normalisation."""

from dataclasses import dataclass

from torch import nn

from oratory.mechanisms.kinds import Norm


@dataclass(frozen=True, kw_only=True)
class Rms(Norm):
    """x / sqrt(mean of x^2 + eps), with a learned scale per column."""

    paper = "Zhang and Sennrich, 2019 (arXiv:1910.07467)"

    def build(self, width: int) -> nn.Module:
        return nn.RMSNorm(width, eps=self.eps)
