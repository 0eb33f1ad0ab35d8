"""A random order of any number of items, of which any part can be had without the others.

It is a permutation by a Feistel network, as in format-preserving encryption (Black and Rogaway, 2002): the two halves
of a number's bits are mixed in turn with a keyed hash of each other, which can be undone and so never gives a number
twice. The network permutes a power of four; a number that comes out too large goes through it again until it is not.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

ROUNDS = 6
_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True)
class Shuffled:
    """The numbers from 0 on in random order; a slice gives those at these places."""

    size: int
    seed: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, places: slice) -> NDArray[np.int64]:
        found = self._permuted(np.arange(*places.indices(self.size), dtype=np.uint64))
        while (outside := found >= self.size).any():
            found[outside] = self._permuted(found[outside])
        return found.astype(np.int64)

    @cached_property
    def _half(self) -> np.uint64:
        """Bits of a half, so that both together are enough."""
        return np.uint64(max(1, -(-max(1, self.size - 1).bit_length() // 2)))

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        return np.random.default_rng(self.seed).integers(0, 1 << 63, ROUNDS, dtype=np.uint64)

    def _permuted(self, numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
        mask = (np.uint64(1) << self._half) - np.uint64(1)
        left, right = numbers >> self._half, numbers & mask
        for key in self._keys:
            mixed = (right + key) * _ODD
            mixed = (mixed ^ (mixed >> np.uint64(29))) * _MIX
            left, right = right, left ^ ((mixed ^ (mixed >> np.uint64(32))) & mask)
        return (left << self._half) | right
