"""Queries and keys of one length."""

from dataclasses import dataclass
from typing import ClassVar

from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Attention, Shape


@dataclass(frozen=True, kw_only=True)
class QkNorm(Attention):
    """Queries and keys of a head are divided by their root mean square, with a learned scale per column, before
    positions: softmax(rms(q) rms(K)^T / sqrt(E)) V. So scores cannot grow without end.

    The paper divides by the length and learns one scale; this is the form of later models, such as Qwen 3.
    """

    name: ClassVar[str] = "qk-norm"
    paper = "Henry et al., 2020 (arXiv:2010.04245)"

    eps: float = 1e-6
    """Added to the mean square."""

    def check(self, shape: Shape) -> None:
        if not self.eps >= 0:
            raise InputError(f"qk-norm(eps={self.eps}): it must be at least 0.")

    def build(self, shape: Shape) -> "NormedQueriesAndKeys":
        return NormedQueriesAndKeys(shape.head_size, self.eps)


class NormedQueriesAndKeys(nn.Module):
    """A norm for queries and one for keys."""

    def __init__(self, columns: int, eps: float) -> None:
        super().__init__()
        self.query_norm = nn.RMSNorm(columns, eps=eps)
        self.key_norm = nn.RMSNorm(columns, eps=eps)

    def prepare(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return self.query_norm(q), self.key_norm(k)
