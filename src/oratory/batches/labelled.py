"""Labelled texts as batches."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from oratory.batches.batch import Batch, pad
from oratory.tokens import Encoded


@dataclass(frozen=True, eq=False)
class LabelledItems:
    """Texts with labels: an item is a text, cut to the context."""

    encoded: Encoded
    labels: NDArray[np.int64]
    context: int
    pad_id: int

    def __len__(self) -> int:
        return len(self.encoded)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each item."""
        return np.minimum(self.encoded.lengths, self.context)

    def targets(self, items: NDArray[np.int64]) -> int:
        """The number of targets: one label for each item."""
        return len(items)

    def batch(self, items: NDArray[np.int64]) -> Batch:
        """These items as tensors."""
        ids, mask = pad(self.encoded, items, self.context, self.pad_id)
        return Batch(ids, torch.from_numpy(self.labels[items]), mask)
