"""Relative positions as vectors that keys have added."""

from dataclasses import dataclass

from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Position, Scene, Shape


@dataclass(frozen=True, kw_only=True)
class Shaw(Position):
    """A learned vector for each distance is added to the key: q_t (k_s + a(t - s)) / sqrt(E).

    Distances are held within -span to span. Heads and layers share the vectors. The paper adds vectors to the values as
    well, and finds that those of the keys are enough.
    """

    paper = "Shaw et al., 2018 (arXiv:1803.02155)"

    span: int = 16
    """Distances beyond this share a vector."""

    def check(self, shape: Shape) -> None:
        if self.span < 1:
            raise InputError(f"shaw(span={self.span}): the span must be at least 1.")

    def build(self, shape: Shape) -> "ShawTable":
        return ShawTable(self.span, shape)


class ShawTable(nn.Module):
    """One vector for each distance, from -span to span."""

    def __init__(self, span: int, shape: Shape) -> None:
        super().__init__()
        self.span = span
        self.table = nn.Embedding(2 * span + 1, shape.head_size)

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        index = (scene.distance[:, None] + self.span).clamp(0, 2 * self.span)  # B or 1, 1, Q, K
        of_distances = q @ self.table.weight.t()  # B, H, Q, 2 span + 1
        found: Tensor = of_distances.gather(-1, index.expand(*q.shape[:3], k.shape[2])) * scene.scale
        return found
