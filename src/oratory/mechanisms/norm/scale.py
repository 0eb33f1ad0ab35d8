"""One length for all vectors."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import Norm


@dataclass(frozen=True, kw_only=True)
class Scale(Norm):
    """g x / |x|, with one learned number g for all columns; it starts at the root of the width."""

    paper = "Nguyen and Salazar, 2019 (arXiv:1910.05895)"

    def build(self, width: int) -> nn.Module:
        return Length(width, self.eps)


class Length(nn.Module):
    """The learned length."""

    def __init__(self, width: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.length = nn.Parameter(torch.tensor([float(width) ** 0.5]))

    def forward(self, x: Tensor) -> Tensor:
        scaled: Tensor = self.length * x / torch.linalg.vector_norm(x, dim=-1, keepdim=True).clamp(min=self.eps)
        return scaled
