"""Attention and feed-forward at once."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from oratory.mechanisms.kinds import Residual, Shape, refuse_post


@dataclass(frozen=True, kw_only=True)
class Parallel(Residual):
    """Both parts see what came in: x + attention(norm(x)) + feedforward(norm(x)), each with its own norm, as in
    GPT-NeoX.
    """

    paper = "Black et al., 2022 (arXiv:2204.06745)"

    def check(self, shape: Shape) -> None:
        refuse_post("parallel", shape)

    def block(
        self, x: Tensor, attention: Callable[[Tensor], Tensor], feedforward: Callable[[Tensor], Tensor]
    ) -> Tensor:
        return x + attention(x) + feedforward(x)
