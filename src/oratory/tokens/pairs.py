"""How often pairs of numbers come, in a text of any length: pairs are counted some at a time, as one number each."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

SECOND = 32
"""Bits of the second number."""
TOGETHER = 1 << 22
"""Pairs that are counted in parts before these are put together."""


class PairCounts:
    """Distinct pairs, how often each has come, and when first."""

    def __init__(self) -> None:
        self._keys, self._counts, self._first = (np.zeros(0, np.int64) for _ in range(3))
        self._parts: list[tuple[Integers, Integers, Integers]] = []
        self._seen = self._waiting = 0

    def add(self, first: Integers, second: Integers) -> None:
        """Count pairs; the first number may be -1 or above, the second 0 or above."""
        keys, at, counts = np.unique((first + 1 << SECOND) | second, return_index=True, return_counts=True)
        self._parts.append((keys, counts, at + self._seen))
        self._seen += len(first)
        self._waiting += len(keys)
        if self._waiting > max(TOGETHER, len(self._keys)):
            self._put_together()

    def _put_together(self) -> None:
        parts = [(self._keys, self._counts, self._first), *self._parts]
        keys, counts, first = (np.concatenate(of_parts) for of_parts in zip(*parts, strict=True))
        # Equal keys keep the order of the parts, so that the first one of them has come first.
        self._keys, at, place = np.unique(keys, return_index=True, return_inverse=True)
        self._counts = np.bincount(place, counts, minlength=len(self._keys)).astype(np.int64)
        self._first = first[at]
        self._parts, self._waiting = [], 0

    def in_order(self) -> Iterator[tuple[int, int, int]]:
        """Every pair with its count, in the order in which they came first."""
        self._put_together()
        order = np.argsort(self._first)
        first, second = (self._keys >> SECOND) - 1, self._keys & ((1 << SECOND) - 1)
        return zip(first[order].tolist(), second[order].tolist(), self._counts[order].tolist(), strict=True)
