"""How much of one set of texts is in another: shared n-grams, and near duplicates.

Shapes: N items, W words in all of them, S shingles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 200_000
"""Pairs of texts that are compared at once. It bounds the memory of the search and changes nothing in its result."""

NEAR = 0.5
"""Texts whose Jaccard index of shingles is at least this are almost the same."""

SHINGLE = 3
"""Words in a shingle."""

Integers = NDArray[np.int64]

_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True)
class Words:
    """The words of many items as numbers, one after the other; item i is `ids[starts[i]:starts[i + 1]]`."""

    ids: Integers  # W
    starts: Integers  # N + 1

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Integers:
        return np.diff(self.starts)

    @property
    def owners(self) -> Integers:
        """The item of each word."""
        return np.repeat(np.arange(len(self)), self.lengths)


class Numbering:
    """A number for every distinct word, so that n-grams can be compared as integers."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def words(self, normalised: Sequence[str]) -> Words:
        numbers = self._numbers
        split = [text.split(" ") for text in normalised]
        ids = [numbers.setdefault(word, len(numbers)) for words in split for word in words]
        starts = np.cumsum([0, *map(len, split)], dtype=np.int64)
        return Words(np.asarray(ids, dtype=np.int64), starts)


@dataclass(frozen=True)
class Near:
    """An item and its most similar text: the index of each, and the Jaccard index of their shingles."""

    item: int
    other: int
    jaccard: float


class Index:
    """The texts that others are compared with. The tables for looking up are built once, on first use."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self._ngrams: dict[int, NDArray[np.uint64]] = {}
        self._filtered: dict[float, Any] = {}

    def unknown_share(self, items: Words) -> float:
        """The share of the items' words that no indexed text has."""
        return float(1 - self._known(items, 1)[0].mean())

    def shares_ngram(self, items: Words, n: int) -> NDArray[np.bool_]:
        """For each item, whether an indexed text has one of its runs of n words."""
        known, owners = self._known(items, n)
        shared = np.zeros(len(items), dtype=bool)
        shared[owners[known]] = True
        return shared

    def _known(self, items: Words, n: int) -> tuple[NDArray[np.bool_], Integers]:
        """For each run of n words, whether the indexed texts have it, and the item it belongs to."""
        if n not in self._ngrams:
            self._ngrams[n] = np.unique(_ngrams(self.words, n)[0])
        grams, owners = _ngrams(items, n)
        return _find(grams, self._ngrams[n])[0], owners

    def near_duplicates(self, items: Words, threshold: float) -> list[Near]:
        """For each item the most similar indexed text whose Jaccard index of shingles reaches the threshold.

        An exact search with a prefix filter (Bayardo et al., 2007). Put the shingles of all sets in one order, the
        rarest first. A set of s shingles can only reach Jaccard t with another if the two share one of the first
        s - ceil(t s) + 1 of each. Pairs that do are compared in full, a block of items at a time.
        """
        order, columns, sizes, sets = self._sets
        hashes, owners = _shingles(items)
        known, at = _find(hashes, columns)
        # Shingles that no indexed text has are the rarest of all: they come first, and match nothing.
        place = np.where(known, order[at], -1)
        own_sizes = np.bincount(owners, minlength=len(items))
        rare = known & _prefix(owners, place, own_sizes, threshold)
        shape = (len(items), len(columns))
        own, own_rare = (_matrix(owners[keep], place[keep], shape) for keep in (known, rare))
        others_of = self._rare(threshold)
        best: dict[int, Near] = {}
        for start, end in _blocks(own_rare @ np.diff(others_of.indptr)):
            candidates = (own_rare[start:end] @ others_of).tocoo()
            i, j = candidates.row.astype(np.int64) + start, candidates.col.astype(np.int64)
            both = np.asarray(own[i].multiply(sets[j]).sum(axis=1)).ravel()
            jaccard = both / (own_sizes[i] + sizes[j] - both)
            for found in np.flatnonzero(jaccard >= threshold):
                pair = Near(int(i[found]), int(j[found]), float(jaccard[found]))
                if pair.item not in best or pair.jaccard > best[pair.item].jaccard:
                    best[pair.item] = pair
        return list(best.values())

    @cached_property
    def _sets(self) -> tuple[Integers, NDArray[np.uint64], Integers, Any]:
        """The place of each distinct shingle in the order of rarity, the shingles, set sizes, and item x place."""
        hashes, owners = _shingles(self.words)
        columns, column, frequency = np.unique(hashes, return_inverse=True, return_counts=True)
        order = np.empty(len(columns), dtype=np.int64)
        order[np.argsort(frequency, kind="stable")] = np.arange(len(columns))
        sizes = np.bincount(owners, minlength=len(self.words))
        return order, columns, sizes, _matrix(owners, order[column], (len(self.words), len(columns)))

    def _rare(self, threshold: float) -> Any:
        """The entries that the prefix filter keeps, as place x item: for each shingle the texts to compare with."""
        if threshold not in self._filtered:
            _, _, sizes, sets = self._sets
            owners, place = sets.nonzero()
            keep = _prefix(owners, place, sizes, threshold)
            self._filtered[threshold] = _matrix(place[keep], owners[keep], sets.shape[::-1])
        return self._filtered[threshold]


def _blocks(pairs: Integers) -> Iterator[tuple[int, int]]:
    """Runs of items that have at most `BLOCK` pairs together, or a single item that has more by itself."""
    start, total = 0, 0
    for item, count in enumerate(pairs.tolist()):
        if item > start and total + count > BLOCK:
            yield start, item
            start, total = item, 0
        total += count
    yield start, len(pairs)


def _find(values: NDArray[np.uint64], among: NDArray[np.uint64]) -> tuple[NDArray[np.bool_], Integers]:
    """Whether each value is in a sorted array, and where; where it is not, the place means nothing."""
    if not len(among):
        return np.zeros(len(values), dtype=bool), np.zeros(len(values), dtype=np.int64)
    at = np.minimum(np.searchsorted(among, values), len(among) - 1)
    return among[at] == values, at


def _prefix(owners: Integers, place: Integers, sizes: Integers, threshold: float) -> NDArray[np.bool_]:
    """Which entries are among the rarest s - ceil(t s) + 1 of their set."""
    by_rarity = np.lexsort((place, owners))
    rank = np.empty(len(owners), dtype=np.int64)
    rank[by_rarity] = np.arange(len(owners)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # The tiny subtraction keeps ceil(0.7 * 10) at 7, where floating point would make it 8.
    length = sizes - np.ceil(threshold * sizes - 1e-9).astype(np.int64) + 1
    in_prefix: NDArray[np.bool_] = rank < length[owners]
    return in_prefix


def _matrix(rows: Integers, columns: Integers, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_matrix

    return csr_matrix((np.ones(len(rows), np.int32), (rows, columns)), shape=shape)


def _ngrams(words: Words, n: int) -> tuple[NDArray[np.uint64], Integers]:
    """A 64-bit hash of every run of n words within an item, and the item it belongs to."""
    ids = words.ids.astype(np.uint64)
    if len(ids) < n:
        return np.empty(0, np.uint64), np.empty(0, np.int64)
    count = len(ids) - n + 1
    hashes = np.full(count, n, dtype=np.uint64)
    for offset in range(n):
        # Two large odd numbers mix word numbers, which are small and close together, over all 64 bits.
        mixed = (hashes ^ (ids[offset : count + offset] + _FIRST)) * _SECOND
        hashes = mixed ^ (mixed >> np.uint64(29))
    owners = words.owners
    inside = owners[:count] == owners[n - 1 :]
    return hashes[inside], owners[:count][inside]


def _shingles(words: Words) -> tuple[NDArray[np.uint64], Integers]:
    """The distinct shingles of each item, by item; an item shorter than a shingle is one shingle of its own."""
    found = [_ngrams(words, SHINGLE)]
    for length in range(1, SHINGLE):
        short = np.flatnonzero(words.lengths == length)
        starts = np.arange(len(short) + 1, dtype=np.int64) * length
        hashes, owners = _ngrams(Words(words.ids[np.isin(words.owners, short)], starts), length)
        found.append((hashes, short[owners]))
    hashes = np.concatenate([part for part, _ in found])
    owners = np.concatenate([part for _, part in found])
    order = np.lexsort((hashes, owners))
    hashes, owners = hashes[order], owners[order]
    first = np.ones(len(hashes), dtype=bool)
    first[1:] = (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])
    return hashes[first], owners[first]
