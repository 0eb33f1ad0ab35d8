"""Disentangled attention."""

from dataclasses import dataclass

from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Position, Scene, Shape


@dataclass(frozen=True, kw_only=True)
class Disentangled(Position):
    """Three sums instead of one: content to content, content to position, and position to content.

    The score of a key s at the query t is

        (q_t k_s + q_t K(d(t, s)) + k_s Q(d(t, s))) / sqrt(3 E),

    where d is the distance, held within -span to span - 1, and K and Q project a learned vector of each distance by the
    key and query projections of the layer. The paper writes d(s, t) in the last term; its published code, and so every
    published model, has d(t, s).
    """

    paper = "He et al., 2020 (arXiv:2006.03654)"

    span: int = 32
    """Distances beyond this share a vector."""

    def check(self, shape: Shape) -> None:
        if self.span < 1:
            raise InputError(f"disentangled(span={self.span}): the span must be at least 1.")

    def scale(self, head_size: int) -> float:
        return float((3 * head_size) ** -0.5)

    def build(self, shape: Shape) -> "DisentangledTable":
        return DisentangledTable(self, shape)


class DisentangledTable(nn.Module):
    """One vector a distance, from -span to span - 1, for all layers."""

    def __init__(self, settings: Disentangled, shape: Shape) -> None:
        super().__init__()
        self.span = settings.span
        self.table = nn.Embedding(2 * settings.span, shape.width)

    def bias(self, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        distance = scene.distance[:, None]  # B or 1, 1, Q, K
        shape = (q.shape[0], q.shape[1], q.shape[2], k.shape[2])
        index = (distance + self.span).clamp(0, 2 * self.span - 1).expand(shape)
        keys = scene.project_k(self.table.weight)  # H, 2 span, E
        queries = scene.project_q(self.table.weight)  # H, 2 span, E
        content_to_position = (q @ keys.transpose(-1, -2)).gather(-1, index)  # B, H, Q, K
        # For p2c the rows are keys: look up (k_s, distance) and turn the result round.
        position_to_content = (k @ queries.transpose(-1, -2)).gather(-1, index.transpose(-1, -2))
        return (content_to_position + position_to_content.transpose(-1, -2)) * scene.scale
