"""A few networks, of which each token chooses some."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.feedforward.relu import TwoMaps
from oratory.mechanisms.kinds import Feedforward, Shape


@dataclass(frozen=True, kw_only=True)
class Experts(Feedforward):
    """A small mixture of experts: each token goes to the `chosen` of them that a learned map likes best, weighted by
    the softmax of their scores; an expert is W2 max(0, W1 x).

    All experts are computed for all tokens, which for a few small ones is quickest. Nothing makes them share the tokens
    equally.
    """

    paper = "Shazeer et al., 2017 (arXiv:1701.06538)"

    count: int = 4
    """How many experts there are."""
    chosen: int = 2
    """How many of them a token goes to."""

    def check(self, shape: Shape) -> None:
        super().check(shape)
        if not 1 <= self.chosen <= self.count:
            raise InputError(f"experts(chosen={self.chosen}): from 1 to count={self.count}.")

    def build(self, width: int) -> nn.Module:
        return Mixture(width, self.hidden or 4 * width, self)


class Mixture(nn.Module):
    """The experts, and the map that chooses."""

    def __init__(self, width: int, hidden: int, settings: Experts) -> None:
        super().__init__()
        self.chosen = settings.chosen
        self.router = nn.Linear(width, settings.count, bias=False)
        self.experts = nn.ModuleList(TwoMaps(width, hidden, settings.bias, nn.ReLU()) for _ in range(settings.count))

    def forward(self, x: Tensor) -> Tensor:
        best, which = self.router(x).topk(self.chosen, dim=-1)  # ..., chosen
        weights = torch.zeros(*x.shape[:-1], len(self.experts), dtype=x.dtype, device=x.device)
        weights = weights.scatter(-1, which, best.softmax(-1))
        parts = [weights[..., number, None] * expert(x) for number, expert in enumerate(self.experts)]
        return torch.stack(parts).sum(0)
