"""Positions that count what matters."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms.kinds import Position, Scene, Shape


@dataclass(frozen=True, kw_only=True)
class Cope(Position):
    """Contextual positions: the distance of a key counts only the tokens that the query lets count.

    With the gates g(t, u) = sigmoid(q_t k_u / sqrt(E)), the distance of s from t is the sum of the gates from s to t.
    It is a fraction, so q_t e(p) is taken at both whole numbers beside it and interpolated, and added to the score.
    Heads and layers share the vectors e. In an encoder the tokens to the right are counted in the same way.
    """

    paper = "Golovneva et al., 2024 (arXiv:2405.18719)"

    most: int = 16
    """Counts beyond this share a vector."""

    def check(self, shape: Shape) -> None:
        if self.most < 2:
            raise InputError(f"cope(most={self.most}): at least 2 counts are needed.")

    def build(self, shape: Shape) -> "CopeTable":
        return CopeTable(self.most, shape.head_size)


class CopeTable(nn.Module):
    """One vector for each count."""

    def __init__(self, most: int, columns: int) -> None:
        super().__init__()
        self.most = most
        self.table = nn.Parameter(torch.zeros(most, columns))

    def score(self, s: Tensor, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        gates = s.sigmoid()  # B, H, Q, K
        sums = gates.cumsum(-1)
        own = scene.q_positions[:, None, :, None].expand(*s.shape[:3], 1)  # Where a query stands among the keys.
        here, gate = sums.gather(-1, own), gates.gather(-1, own)
        left = scene.distance[:, None] >= 0
        counts = torch.where(left, here - sums + gates, sums - here + gate).clamp(0, self.most - 1)
        of_counts = q @ self.table.t()  # B, H, Q, most
        below = counts.detach().floor()
        low, high = (of_counts.gather(-1, each.long()) for each in (below, counts.detach().ceil()))
        share = counts - below
        return s + high * share + low * (1 - share)
