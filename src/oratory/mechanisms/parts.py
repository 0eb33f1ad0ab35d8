"""What several mechanisms are made of."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from oratory.mechanisms.kinds import Shape

PARTS = ("attention", "feedforward")
"""Of a block."""


class Gates(nn.Module):
    """The two parts of a block, each multiplied by something learned."""

    def __init__(self, make: Callable[[], nn.Parameter]) -> None:
        super().__init__()
        self.attention, self.feedforward = make(), make()

    def add(self, x: Tensor, part: Callable[[Tensor], Tensor], name: str) -> Tensor:
        gate: Tensor = getattr(self, name)
        return x + gate * part(x)


def one_gate(start: Tensor) -> Callable[[], nn.Parameter]:
    """Gates that start at these values."""
    return lambda: nn.Parameter(start.clone())


class Projected(nn.Module):
    """What mixers in place of attention share: maps to queries, keys, values and gates, and back to the model."""

    def __init__(self, shape: Shape, gated: bool) -> None:
        super().__init__()
        inner = shape.heads * shape.head_size
        self.heads = shape.heads
        self.causal = shape.causal
        self.query, self.key, self.value = (nn.Linear(shape.width, inner, bias=False) for _ in range(3))
        self.gate = nn.Linear(shape.width, inner, bias=False) if gated else None
        self.norm = nn.RMSNorm(shape.head_size, eps=1e-5) if gated else None
        self.output = nn.Linear(inner, shape.width)

    def by_head(self, x: Tensor) -> Tensor:
        """B, T, H E as B, H, T, E."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def joined(self, found: Tensor, x: Tensor) -> Tensor:
        """What was found (B, H, T, E), normed and gated by the tokens (B, T, D) if that is so, as (B, T, D)."""
        if self.norm is not None:
            found = self.norm(found)
        flat = found.transpose(1, 2).flatten(2)
        if self.gate is not None:
            flat = flat * nn.functional.silu(self.gate(x))
        out: Tensor = self.output(flat)
        return out

    def seen(self, x: Tensor, keep: Tensor | None) -> Tensor:
        """Who may hear whom: (B or 1, 1, T, T), zero for padding and, in a decoder, for the future."""
        length = x.shape[1]
        seen = torch.ones(length, length, dtype=x.dtype, device=x.device)
        seen = (seen.tril() if self.causal else seen)[None, None]
        return seen if keep is None else seen * keep[:, None, None]
