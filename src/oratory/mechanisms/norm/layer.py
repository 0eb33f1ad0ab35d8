"""Layer normalisation."""

from dataclasses import dataclass

from torch import nn

from oratory.mechanisms.kinds import Norm


@dataclass(frozen=True, kw_only=True)
class Layer(Norm):
    """(x - mean) / sqrt(variance + eps), with a learned scale and shift per column."""

    paper = "Ba et al., 2016 (arXiv:1607.06450)"

    def build(self, width: int) -> nn.Module:
        return nn.LayerNorm(width, eps=self.eps)
