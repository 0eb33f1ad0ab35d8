"""The last token."""

from dataclasses import dataclass

import torch
from torch import Tensor

from oratory.mechanisms.kinds import Pool


@dataclass(frozen=True, kw_only=True)
class Last(Pool):
    """The last token that is not padding."""

    paper = "Radford et al., 2018 (Improving Language Understanding by Generative Pre-Training)"

    def pool(self, x: Tensor, mask: Tensor) -> Tensor:
        places = torch.arange(x.shape[1], device=x.device)
        last = (places * mask).amax(1)  # B
        return x[torch.arange(len(x), device=x.device), last] * mask.any(1, keepdim=True).to(x.dtype)
