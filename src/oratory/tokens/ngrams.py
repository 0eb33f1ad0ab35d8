"""Interpolated Kneser-Ney n-gram models (Kneser and Ney, 1995; Chen and Goodman, 1999).

    p(w | h) = max(c(h w) - d, 0) / c(h .) + d n(h .) / c(h .) p(w | h')

c counts occurrences in the highest order, and distinct words to the left in all lower ones; n(h .) is the number of
distinct words after the history h, and h' is h without its first word. Below the unigrams every token of the
vocabulary has the same probability, so that nothing is impossible.

The modified kind has three discounts for each order in place of d: for n-grams that were met once, twice, and more
often. These follow from how many n-grams were met once to four times.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oratory.arrays import Growing, blocks, empty, release, zeros
from oratory.errors import InputError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Counts = NDArray[np.int32]
Discounts = tuple[float, float, float]
"""What is taken from a count of one, of two, and of more."""

AT_ONCE = 1 << 22
"""Words whose n-grams are sorted at once. It bounds the memory and changes nothing in the counts."""
LOOKED_UP = 1 << 14
"""N-grams that are looked up at once: each is somewhere else in a large file."""


@dataclass(frozen=True)
class _Order:
    """The n-grams of one order: sorted keys (number of the first n - 1 words, last word), and two kinds of counts."""

    keys: Integers
    occurrences: Counts
    continuations: Counts


@dataclass(frozen=True)
class Matches:
    """For one order, what the counts say of each token of a text: c(h w), c(h .) and n(h .)."""

    count: Floats
    total: Floats
    types: Floats
    ones: Floats
    twos: Floats
    """Of the words after h, those that were met once and twice."""


class NgramCounts:
    """All counts up to an order, from one stream of tokens; a model is these and a discount."""

    def __init__(self, stream: NDArray[np.integer], vocabulary: int, order: int) -> None:
        if not len(stream):
            raise InputError("There are no training tokens to count n-grams in.")
        self.vocabulary = vocabulary
        numbers, table = _unigrams(stream, vocabulary)
        self.orders = [table]
        for n in range(2, min(order, len(stream)) + 1):
            numbers, table = _longer(stream[n - 1 :], numbers, self.orders[-1], vocabulary)
            self.orders.append(table)

    def nats(self, stream: NDArray[np.integer], order: int, discount: float) -> Floats:
        """The negative log probability of every token, with as much of the stream before it as the order sees."""
        return -np.log(self.probabilities(self.match(stream, order), discount))

    def match(self, stream: NDArray[np.integer], order: int) -> list[Matches]:
        """Each token of a text in the counts of every order up to this one, lowest first."""
        highest = min(order, len(self.orders))
        *lower, (_, last) = self.match_all(stream, highest)
        return [*(continued for continued, _ in lower), last]

    def match_all(self, stream: NDArray[np.integer], order: int) -> list[tuple[Matches, Matches]]:
        """The same for every order with both kinds of counts, so that a model of each order can be made of it: those of
        continuations, which it has in lower orders, and of occurrences, which it has in its highest."""
        words = np.asarray(stream, dtype=np.int64)
        found: list[tuple[Matches, Matches]] = []
        history = np.zeros(len(words), np.int64)
        for table in self.orders[:order]:
            known, place = np.unique(np.maximum(history, 0), return_inverse=True)
            number = _find(table.keys, history * self.vocabulary + words, history >= 0)
            both = []
            for counts in (table.continuations, table.occurrences):
                count = np.where(number >= 0, _taken(counts, number), 0.0)
                sums = _sums(table.keys, counts, known, self.vocabulary)
                both.append(Matches(count, *(np.where(history >= 0, of[place], 0.0) for of in sums)))
            found.append((both[0], both[1]))
            history = np.concatenate([[-1], number[:-1]])
        return found

    def counted(self, order: int) -> list[tuple[_Order, Counts]]:
        """The n-grams of every order up to this one, each with the counts that a model of that order has there."""
        highest = min(order, len(self.orders))
        return [
            (table, table.occurrences if n == highest else table.continuations)
            for n, table in enumerate(self.orders[:order], 1)
        ]

    def modified(self, order: int) -> list[Discounts]:
        """The discounts of modified Kneser-Ney for every order, lowest first."""
        return [discounts_of(counts) for _, counts in self.counted(order)]

    def probabilities(self, matches: list[Matches], discount: float | Sequence[Discounts]) -> Floats:
        """The probability of each token, from the lowest order up; with one discount, or with three for each order."""
        probability = np.full(len(matches[0].count), 1 / self.vocabulary)
        for order, match in enumerate(matches):
            known = match.total > 0
            total = np.where(known, match.total, 1.0)
            taken: float | Floats
            if isinstance(discount, int | float):
                taken, freed = discount, discount * match.types / total
            else:
                one, two, more = discount[order]
                taken = np.where(match.count == 1, one, np.where(match.count == 2, two, more))
                others = match.types - match.ones - match.twos
                freed = (one * match.ones + two * match.twos + more * others) / total
            kept = np.maximum(match.count - taken, 0.0) / total
            probability = np.where(known, kept + freed * probability, probability)
        return probability

    def distribution(self, history: Sequence[int], order: int, discount: float) -> Floats:
        """The probability of every token of the vocabulary after a history, by the same formula."""
        probability = np.full(self.vocabulary, 1 / self.vocabulary)
        for n, table in enumerate(self.orders[:order], 1):
            number = self._number(history[len(history) - n + 1 :]) if len(history) >= n - 1 else -1
            if number < 0:
                continue
            counts = table.occurrences if n == min(order, len(self.orders)) else table.continuations
            ends = np.searchsorted(table.keys, (number * self.vocabulary, (number + 1) * self.vocabulary))
            found = counts[slice(*ends)].astype(np.float64)
            if not found.sum():
                continue
            probability *= discount * np.count_nonzero(found) / found.sum()
            probability[table.keys[slice(*ends)] % self.vocabulary] += np.maximum(found - discount, 0.0) / found.sum()
        return probability

    def _number(self, words: Sequence[int]) -> int:
        """The number of an n-gram, 0 for that of no words; -1 if it was not counted."""
        number = 0
        for table, word in zip(self.orders, words, strict=False):
            key = number * self.vocabulary + int(word)
            number = int(_find(table.keys, np.array([key]), np.array([True]))[0])
            if number < 0:
                break
        return number


LEAST = 0.1
"""Of a discount: with none at all, what was not counted would be impossible."""


def discounts_of(counts: Counts) -> Discounts:
    """The three discounts of modified Kneser-Ney (Chen and Goodman, 1999): k - (k + 1) Y n_{k+1} / n_k.

    Y is n_1 / (n_1 + 2 n_2), and n_k the number of n-grams that were met k times. Where a text is too small to have
    some of them, a discount keeps within what can be taken from a count, and is not zero.
    """
    met = np.zeros(6, np.int64)
    for part in blocks(len(counts)):
        met += np.bincount(np.minimum(counts[part], 5), minlength=6)
    y = met[1] / max(1, met[1] + 2 * met[2])
    one, two, more = (float(np.clip(k - (k + 1) * y * met[k + 1] / max(1, met[k]), LEAST, k)) for k in (1, 2, 3))
    return one, two, more


def _unigrams(words: NDArray[np.integer], vocabulary: int) -> tuple[Integers, _Order]:
    """The place of every word among those that come at all, and their counts."""
    often, numbers = np.zeros(vocabulary, np.int64), empty(len(words), np.int64)
    for part in blocks(len(words)):
        often += np.bincount(words[part], minlength=vocabulary)
    keys = np.flatnonzero(often)
    for part in blocks(len(words)):
        numbers[part] = np.searchsorted(keys, words[part])
        release(numbers, words)
    return numbers, _Order(keys, often[keys].astype(np.int32), np.zeros(len(keys), np.int32))


def _longer(words: NDArray[np.integer], numbers: Integers, shorter: _Order, vocabulary: int) -> tuple[Integers, _Order]:
    """The number of the n-gram that begins at each token, given those of the (n - 1)-grams, and the counts.

    `words[t]` is the last word of the n-gram that begins at t. Histories are taken in ranges of a bounded number of
    words, so that only the words of one range are sorted at once. Keys are in the order of histories, so the result is
    that of sorting all of them.
    """
    longer = empty(len(words), np.int64)
    keys, occurrences = Growing("q"), Growing("i")
    for places in _by_range(numbers[:-1], list(_ranges(shorter.occurrences))):
        # The places are all over the arrays, so each of them is let go of before the next is looked at.
        histories = numbers[places]
        release(numbers)
        found, at, inverse, often = np.unique(
            histories * vocabulary + words[places], return_index=True, return_inverse=True, return_counts=True
        )
        release(words)
        longer[places] = inverse + len(keys)
        release(longer)
        # Each distinct n-gram is one distinct word to the left of the (n - 1)-gram that it ends in.
        np.add.at(shorter.continuations, numbers[places[at] + 1], 1)
        release(numbers, shorter.continuations)
        keys.extend(found)
        occurrences.extend(often)
    return longer, _Order(keys.done(), occurrences.done(), zeros(len(keys), np.int32))


def _ranges(sizes: NDArray[np.integer]) -> Iterator[tuple[int, int]]:
    """Ranges of histories that have at most `AT_ONCE` words together, or a single one that has more."""
    first = total = 0
    for part in blocks(len(sizes)):
        ends = np.cumsum(sizes[part], dtype=np.int64) + total  # Words since the beginning of the range.
        at = 0
        while at < len(ends) and ends[-1] > AT_ONCE:
            at = max(at, int(np.searchsorted(ends, AT_ONCE, side="right")))
            if part.start + at > first:
                yield first, part.start + at
                first = part.start + at
                ends = ends - (ends[at - 1] if at else total)
            if ends[at] > AT_ONCE:
                yield first, first + 1
                first, ends, at = first + 1, ends - ends[at], at + 1
        total = int(ends[-1])
    if first < len(sizes):
        yield first, len(sizes)


def _by_range(histories: Integers, ranges: Sequence[tuple[int, int]]) -> Iterator[Integers]:
    """For each range of histories the places where they are, in order. All are put in their places in one pass."""
    if len(ranges) == 1:
        yield np.arange(len(histories))
        return
    begins = np.array([first for first, _ in ranges])

    def parts() -> Iterator[tuple[slice, Integers]]:
        for part in blocks(len(histories)):
            yield part, np.searchsorted(begins, histories[part], side="right") - 1
            release(histories)

    sizes = np.zeros(len(ranges), np.int64)
    for _, of_part in parts():
        sizes += np.bincount(of_part, minlength=len(ranges))
    ends = np.cumsum(sizes)
    at = ends - sizes
    places = empty(len(histories), np.int64)
    for part, of_part in parts():
        order = np.argsort(of_part, kind="stable") + part.start
        until = np.cumsum(np.bincount(of_part, minlength=len(ranges)))
        for number, some in enumerate(np.split(order, until[:-1])):
            places[at[number] : at[number] + len(some)] = some
            at[number] += len(some)
        release(places)
    for end, size in zip(ends.tolist(), sizes.tolist(), strict=True):
        yield np.array(places[end - size : end])
        release(places)


def _sums(keys: Integers, counts: Counts, histories: Integers, vocabulary: int) -> Floats:
    """c(h .), n(h .), and of the latter those met once and twice, for some histories in order.

    The n-grams of a history follow each other.
    """
    ends = np.searchsorted(keys, np.concatenate([histories, histories + 1]) * vocabulary)
    sums = np.zeros((4, len(ends)), np.int64)  # Of all n-grams before each end.
    before = np.zeros((4, 1), np.int64)
    for part in blocks(len(keys)):
        some = counts[part]
        running = before + np.cumsum([some, some > 0, some == 1, some == 2], axis=1, dtype=np.int64)
        inside = np.flatnonzero((ends > part.start) & (ends <= part.stop))
        sums[:, inside] = running[:, ends[inside] - part.start - 1]
        before = running[:, -1:]
        release(keys, counts)
    return (sums[:, len(histories) :] - sums[:, : len(histories)]).astype(np.float64)


def _find(keys: Integers, wanted: Integers, possible: NDArray[np.bool_]) -> Integers:
    """The index of each wanted key, or -1."""
    found = np.full(len(wanted), -1, np.int64)
    for part in blocks(len(wanted), LOOKED_UP):
        at = np.minimum(np.searchsorted(keys, wanted[part]), len(keys) - 1)
        found[part] = np.where(possible[part] & (keys[at] == wanted[part]), at, -1)
        release(keys)
    return found


def _taken(counts: Counts, number: Integers) -> Counts:
    """The count of each n-gram, given its number; that of the last one where it has none."""
    found = np.empty(len(number), np.int32)
    for part in blocks(len(number), LOOKED_UP):
        found[part] = counts[number[part]]
        release(counts)
    return found
