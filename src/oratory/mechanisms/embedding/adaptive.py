"""Fewer numbers for rare tokens."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from oratory.mechanisms.bands import bands, check_bands
from oratory.mechanisms.kinds import Embedding, Shape


@dataclass(frozen=True, kw_only=True)
class Adaptive(Embedding):
    """Bands of tokens from frequent to rare; band b has vectors of width D / factor^b, mapped to D by a matrix."""

    paper = "Baevski and Auli, 2019 (arXiv:1809.10853)"
    table = False

    frequent: float = 0.1
    """The share of the vocabulary that is in the first band, that of the frequent tokens."""
    common: float = 0.4
    """The share that is in the first two bands; the rest is in the third."""
    factor: int = 4
    """How much narrower each band is than the one before."""

    def check(self, shape: Shape) -> None:
        check_bands(self.frequent, self.common, self.factor)

    def build(self, shape: Shape) -> "BandTables":
        return BandTables(shape, (self.frequent, self.common), self.factor)


class BandTables(nn.Module):
    """A table and a map for each band."""

    def __init__(self, shape: Shape, shares: tuple[float, float], factor: int) -> None:
        super().__init__()
        self.bands = bands(shape.vocabulary, shape.width, shares, factor)
        self.tables = nn.ModuleList(nn.Embedding(end - first, width) for first, end, width in self.bands)
        self.maps = nn.ModuleList(nn.Linear(width, shape.width, bias=False) for _, _, width in self.bands)

    def vectors(self, ids: Tensor) -> Tensor:
        x: Tensor | float = 0.0
        for (first, end, _), table, up in zip(self.bands, self.tables, self.maps, strict=True):
            inside = (ids >= first) & (ids < end)
            # Every band is computed for every token and masked: no shape depends on values.
            x = x + up(table((ids - first).clamp(0, end - first - 1))) * inside[..., None]
        assert isinstance(x, torch.Tensor)
        return x
