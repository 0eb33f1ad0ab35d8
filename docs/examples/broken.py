"""A mechanism that looks into the future: it mixes each token with the next. `oratory check` says where it leaks."""

from dataclasses import dataclass

from torch import Tensor

from oratory.mechanisms import Position


@dataclass(frozen=True, kw_only=True)
class Peek(Position):
    """Half of the next token is added to each."""

    def embed(self, x: Tensor, positions: Tensor) -> Tensor:
        return x + 0.5 * x.roll(-1, dims=1)
