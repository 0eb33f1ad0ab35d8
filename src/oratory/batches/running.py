"""Running text as batches: windows of one stream, or line by line."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from oratory.batches.batch import IGNORE, Batch, pad
from oratory.errors import InputError
from oratory.tokens import Encoded


@dataclass(frozen=True, eq=False)
class WindowItems:
    """Every window of the stream is an item: its tokens, and for each the token after it. Nothing is padded."""

    ids: NDArray[np.int32]
    context: int

    def __post_init__(self) -> None:
        if len(self.ids) < 2:
            raise InputError(f"The running text to learn from has {len(self.ids)} tokens; at least 2 are needed.")

    def __len__(self) -> int:
        return len(self.ids) - self.size

    @property
    def size(self) -> int:
        """Tokens of a window: the context, or less where the whole text is shorter."""
        return min(self.context, len(self.ids) - 1)

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each item."""
        return np.broadcast_to(np.int64(self.size), len(self))

    def targets(self, items: NDArray[np.int64]) -> int:
        """How many targets these items have: the token after each token."""
        return len(items) * self.size

    def batch(self, items: NDArray[np.int64]) -> Batch:
        """These windows as tensors."""
        rows = torch.from_numpy(self.ids[items[:, None] + np.arange(self.size + 1)].astype(np.int64))
        return Batch(rows[:, :-1], rows[:, 1:])


@dataclass(frozen=True, eq=False)
class LineItems:
    """Every line is an item of its own, cut to `longest` tokens; its first token is given and not learned."""

    encoded: Encoded
    longest: int
    pad_id: int

    def __post_init__(self) -> None:
        if self.encoded.lengths.min() < 2:
            raise InputError("A line of the running text has fewer than two tokens, so nothing in it can be predicted.")

    def __len__(self) -> int:
        return len(self.encoded)

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each item."""
        return np.minimum(self.encoded.lengths, self.longest)

    def targets(self, items: NDArray[np.int64]) -> int:
        """The number of targets: every token but the first of each line."""
        return int((self.lengths[items] - 1).sum())

    def batch(self, items: NDArray[np.int64]) -> Batch:
        """These lines as tensors."""
        ids, mask = pad(self.encoded, items, self.longest, self.pad_id)
        if mask is None:
            return Batch(ids[:, :-1], ids[:, 1:])
        return Batch(ids[:, :-1], ids[:, 1:].masked_fill(~mask[:, 1:], IGNORE), mask[:, 1:])
