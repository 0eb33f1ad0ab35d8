"""Encoded texts as flat arrays."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Encoded:
    """Many encoded texts, one after the other; text i is `ids[starts[i]:starts[i + 1]]`."""

    ids: NDArray[np.int32]
    sizes: NDArray[np.int32]
    """The bytes that each token covers."""
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, index: int) -> NDArray[np.int32]:
        return self.ids[self.starts[index] : self.starts[index + 1]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each text."""
        return np.diff(self.starts)

    @property
    def owners(self) -> NDArray[np.int64]:
        """The text of each token."""
        return np.repeat(np.arange(len(self)), self.lengths)

    @classmethod
    def of(cls, measured: Iterable[tuple[list[int], list[int]]]) -> Self:
        """From the ids and sizes of each text."""
        ids, sizes, starts = array("i"), array("i"), array("q", [0])
        for of_text, bytes_of_text in measured:
            ids.extend(of_text)
            sizes.extend(bytes_of_text)
            starts.append(len(ids))
        return cls(np.frombuffer(ids, np.int32), np.frombuffer(sizes, np.int32), np.frombuffer(starts, np.int64))

    def cut(self, longest: int) -> "Encoded":
        """Every text cut to a number of tokens."""
        kept = np.minimum(self.lengths, longest)
        inside = np.arange(len(self.ids)) - np.repeat(self.starts[:-1], self.lengths) < np.repeat(kept, self.lengths)
        return Encoded(self.ids[inside], self.sizes[inside], np.cumsum([0, *kept], dtype=np.int64))

    def wrapped(self, start: int | None, stop: int | None) -> "Encoded":
        """Every text with a token before and after it; these cover no bytes."""
        before, after = int(start is not None), int(stop is not None)
        if not before and not after:
            return self
        starts = self.starts + np.arange(len(self) + 1) * (before + after)
        ids, sizes = np.zeros(starts[-1], np.int32), np.zeros(starts[-1], np.int32)
        places = np.arange(len(self.ids)) + self.owners * (before + after) + before
        ids[places], sizes[places] = self.ids, self.sizes
        if start is not None:
            ids[starts[:-1]] = start
        if stop is not None:
            ids[starts[1:] - 1] = stop
        return Encoded(ids, sizes, starts)
