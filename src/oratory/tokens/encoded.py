"""Encoded texts as flat arrays."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from oratory.arrays import Growing, blocks, empty, release

AT_ONCE = 100_000
"""Texts that are copied at once."""


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
        ids, sizes, starts = Growing("i"), Growing("i"), array("q", [0])
        for of_text, bytes_of_text in measured:
            ids.extend(of_text)
            sizes.extend(bytes_of_text)
            starts.append(len(ids))
        return cls(ids.done(), sizes.done(), np.frombuffer(starts, np.int64))

    def first(self, tokens: int) -> "Encoded":
        """The first texts, which have so many tokens together; one at least."""
        if len(self.ids) <= tokens:
            return self
        texts = max(1, int(np.searchsorted(self.starts, tokens, side="right")) - 1)
        end = self.starts[texts]
        return Encoded(self.ids[:end], self.sizes[:end], self.starts[: texts + 1])

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
        ids, sizes = empty(int(starts[-1]), np.int32), empty(int(starts[-1]), np.int32)
        for part in blocks(len(self), AT_ONCE):
            old, new = self.starts[part.start : part.stop + 1], starts[part.start : part.stop + 1]
            inside = np.ones(int(new[-1] - new[0]), bool)
            inside[new[:-1][: len(new) * before] - new[0]] = False
            inside[new[1:][: len(new) * after] - new[0] - 1] = False
            whole = slice(new[0], new[-1])
            for given, made in ((self.ids, ids), (self.sizes, sizes)):
                made[whole] = 0
                made[whole][inside] = given[old[0] : old[-1]]
            release(self.ids, self.sizes, ids, sizes)
        if start is not None:
            ids[starts[:-1]] = start
        if stop is not None:
            ids[starts[1:] - 1] = stop
        return Encoded(ids, sizes, starts)
