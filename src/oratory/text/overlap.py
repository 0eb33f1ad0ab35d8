"""How much of one set of texts is in another: shared n-grams, and near duplicates.

Shapes: N items, W words in all of them, S shingles.
"""

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.arrays import Growing, release

BLOCK = 200_000
"""Pairs of texts that are compared at once. It bounds the memory of the search and changes nothing in its result."""

PART = 4_000_000
"""Words of the indexed texts that are looked up at once, for the same reason; fewer are looked up as a whole."""

NEAR = 0.5
"""Texts whose Jaccard index of shingles is at least this are almost the same."""

SHINGLE = 3
"""Words in a shingle."""

Integers = NDArray[np.int64]
Numbers = NDArray[np.int32]

_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


@dataclass(frozen=True)
class Words:
    """The words of many items as numbers, one after the other; item i is `ids[starts[i]:starts[i + 1]]`.

    Many words are in a file without a name (`oratory.arrays`), and looked at in parts.
    """

    ids: Numbers  # W
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

    def pick(self, items: Integers) -> "Words":
        """The words of some items."""
        if len(items) == len(self):
            return self
        kept = np.zeros(len(self), dtype=bool)
        kept[items] = True
        ids = Growing("i")
        for first, some in self.parts():
            ids.extend(some.ids[np.repeat(kept[first : first + len(some)], some.lengths)])
        return Words(ids.done(), _starts(self.lengths[kept]))

    def parts(self) -> Iterator[tuple[int, "Words"]]:
        """Runs of items with about `PART` words each, and the number of the first item of each."""
        first = 0
        while first < len(self):
            until = int(np.searchsorted(self.starts, self.starts[first] + PART, side="right"))
            last = min(len(self), max(first + 1, until - 1))
            starts = self.starts[first : last + 1]
            yield first, Words(self.ids[starts[0] : starts[-1]], starts - starts[0])
            release(self.ids)
            first = last


class Numbering:
    """A number for every distinct word, so that n-grams can be compared as integers."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def words(self, normalised: Iterable[str]) -> Words:
        numbers = self._numbers
        ids, lengths = Growing("i"), array("q")
        for text in normalised:
            words = text.split(" ")
            ids.extend([numbers.setdefault(word, len(numbers)) for word in words])
            lengths.append(len(words))
        return Words(ids.done(), _starts(np.frombuffer(lengths, dtype=np.int64)))


def _starts(lengths: Integers) -> Integers:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])


@dataclass(frozen=True)
class Near:
    """An item and its most similar text: the index of each, and the Jaccard index of their shingles."""

    item: int
    other: int
    jaccard: float


class Index:
    """The texts that others are compared with, in parts of a bounded size.

    The tables for looking up are built on first use. They are kept if the texts are one part, and else built each time.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        self._only = _Part(0, words) if words.starts[-1] <= PART else None

    def unknown_share(self, items: Words) -> float:
        """The share of the items' words that no indexed text has."""
        return float(1 - self._known(items, 1)[0].mean())

    def shares_ngram(self, items: Words, n: int) -> NDArray[np.bool_]:
        """For each item, whether an indexed text has one of its runs of n words."""
        known, owners = self._known(items, n)
        shared = np.zeros(len(items), dtype=bool)
        shared[owners[known]] = True
        return shared

    def near_duplicates(self, items: Words, threshold: float) -> list[Near]:
        """For each item the most similar indexed text whose Jaccard index of shingles reaches the threshold."""
        best: dict[int, Near] = {}
        for part in self._parts():
            for first, some in items.parts():
                for item, other, jaccard in part.near_duplicates(some, threshold):
                    if first + item not in best or jaccard > best[first + item].jaccard:
                        best[first + item] = Near(first + item, part.first + other, jaccard)
        return list(best.values())

    def _known(self, items: Words, n: int) -> tuple[NDArray[np.bool_], Integers]:
        """For each run of n words, whether the indexed texts have it, and the item it belongs to."""
        grams, owners = ngrams(items, n)
        known = np.zeros(len(grams), dtype=bool)
        for part in self._parts():
            known |= _find(grams, part.ngrams(n))[0]
        return known, owners

    def _parts(self) -> Iterator["_Part"]:
        if self._only:
            yield self._only
        else:
            yield from (_Part(first, words) for first, words in self._words.parts())


class _Part:
    """Some of the indexed texts, the first of which has a number among all of them."""

    def __init__(self, first: int, words: Words) -> None:
        self.first, self.words = first, words
        self._ngrams: dict[int, NDArray[np.uint64]] = {}
        self._filtered: dict[float, Any] = {}

    def ngrams(self, n: int) -> NDArray[np.uint64]:
        """The distinct runs of n words, in order."""
        if n not in self._ngrams:
            self._ngrams[n] = np.unique(ngrams(self.words, n)[0])
        return self._ngrams[n]

    def near_duplicates(self, items: Words, threshold: float) -> Iterator[tuple[int, int, float]]:
        """Every item with every text of this part that reaches the threshold, and their Jaccard index.

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
        for start, end in _blocks(own_rare @ np.diff(others_of.indptr)):
            candidates = (own_rare[start:end] @ others_of).tocoo()
            i, j = candidates.row.astype(np.int64) + start, candidates.col.astype(np.int64)
            both = np.asarray(own[i].multiply(sets[j]).sum(axis=1)).ravel()
            jaccard = both / (own_sizes[i] + sizes[j] - both)
            for found in np.flatnonzero(jaccard >= threshold):
                yield int(i[found]), int(j[found]), float(jaccard[found])

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


def ngrams(words: Words, n: int) -> tuple[NDArray[np.uint64], Integers]:
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
    found = [ngrams(words, SHINGLE)]
    for length in range(1, SHINGLE):
        short = np.flatnonzero(words.lengths == length)
        starts = np.arange(len(short) + 1, dtype=np.int64) * length
        hashes, owners = ngrams(Words(words.ids[np.isin(words.owners, short)], starts), length)
        found.append((hashes, short[owners]))
    hashes = np.concatenate([part for part, _ in found])
    owners = np.concatenate([part for _, part in found])
    order = np.lexsort((hashes, owners))
    hashes, owners = hashes[order], owners[order]
    first = np.ones(len(hashes), dtype=bool)
    first[1:] = (hashes[1:] != hashes[:-1]) | (owners[1:] != owners[:-1])
    return hashes[first], owners[first]
