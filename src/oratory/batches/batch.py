"""One batch, and padding that is as short as the batch allows.

Shapes: B items, T tokens of the longest item.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from oratory.tokens import Encoded

IGNORE = -100
"""The target of a place that has none; the framework's cross-entropy leaves it out."""


@dataclass(frozen=True)
class Batch:
    """What one update, or a part of it, learns from."""

    ids: Tensor  # B, T
    targets: Tensor  # B: labels; or B, T: the token after each
    mask: Tensor | None = None  # B, T: false for padding; None where nothing is padded

    def to(self, device: torch.device) -> "Batch":
        """The same batch on another device."""
        mask = None if self.mask is None else self.mask.to(device)
        return Batch(self.ids.to(device), self.targets.to(device), mask)


def pad(encoded: Encoded, items: NDArray[np.int64], longest: int, pad_id: int) -> tuple[Tensor, Tensor | None]:
    """The ids of some items, cut to `longest` and padded to the longest of them, and the mask where one is needed."""
    starts = encoded.starts[items]
    lengths = np.minimum(encoded.starts[items + 1] - starts, longest)
    steps = np.arange(max(1, int(lengths.max())))
    inside = steps < lengths[:, None]  # B, T
    places = np.minimum(starts[:, None] + steps, max(0, len(encoded.ids) - 1))
    ids = np.where(inside, encoded.ids[places], pad_id).astype(np.int64)
    return torch.from_numpy(ids), None if inside.all() else torch.from_numpy(inside)
