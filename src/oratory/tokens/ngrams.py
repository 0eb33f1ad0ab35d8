"""Interpolated Kneser-Ney n-gram models (Kneser and Ney, 1995; Chen and Goodman, 1999).

    p(w | h) = max(c(h w) - d, 0) / c(h .) + d n(h .) / c(h .) p(w | h')

c counts occurrences in the highest order, and distinct words to the left in all lower ones; n(h .) is the number of
distinct words after the history h, and h' is h without its first word. Below the unigrams every token of the
vocabulary has the same probability, so that nothing is impossible.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Counts = NDArray[np.int32]


@dataclass(frozen=True)
class _Order:
    """The n-grams of one order: sorted keys (number of the first n - 1 words, last word), and two kinds of counts."""

    keys: Integers
    occurrences: Counts
    continuations: Counts


@dataclass(frozen=True)
class _Matches:
    """For one order, what the counts say of each token of a text: c(h w), c(h .) and n(h .)."""

    count: Floats
    total: Floats
    types: Floats


class NgramCounts:
    """All counts up to an order, from one stream of tokens; a model is these and a discount."""

    def __init__(self, stream: NDArray[np.integer], vocabulary: int, order: int) -> None:
        if not len(stream):
            raise InputError("There are no training tokens to count n-grams in.")
        self.vocabulary = vocabulary
        self.orders: list[_Order] = []
        words = np.asarray(stream, dtype=np.int64)
        # numbers[t] is the number of the n-gram that ends at token t, and prefix[t] that of its first n - 1 words.
        prefix, last, shorter = np.zeros(len(words), np.int64), words, words
        for _ in range(order):
            keys, first, numbers, occurrences = np.unique(
                prefix * vocabulary + last, return_index=True, return_inverse=True, return_counts=True
            )
            self.orders.append(_Order(keys, occurrences.astype(np.int32), np.zeros(len(keys), np.int32)))
            if len(self.orders) > 1:
                # Each distinct n-gram is one distinct word to the left of the (n - 1)-gram that it ends in.
                np.add.at(self.orders[-2].continuations, shorter[1:][first], 1)
            prefix, last, shorter = numbers[:-1], last[1:], numbers
            if not len(last):
                break

    def nats(self, stream: NDArray[np.integer], order: int, discount: float) -> Floats:
        """The negative log probability of every token, with as much of the stream before it as the order sees."""
        return -np.log(self.probabilities(self.match(stream, order), discount))

    def match(self, stream: NDArray[np.integer], order: int) -> list[_Matches]:
        """Each token of a text in the counts of every order up to this one, lowest first."""
        words = np.asarray(stream, dtype=np.int64)
        found: list[_Matches] = []
        history = np.zeros(len(words), np.int64)
        for n, table in enumerate(self.orders[:order], 1):
            counts = table.occurrences if n == min(order, len(self.orders)) else table.continuations
            size = len(self.orders[n - 2].keys) if n > 1 else 1
            histories = table.keys // self.vocabulary
            total = np.bincount(histories, weights=counts, minlength=size)
            types = np.bincount(histories, weights=counts > 0, minlength=size)
            number = _find(table.keys, history * self.vocabulary + words, history >= 0)
            found.append(
                _Matches(
                    np.where(number >= 0, counts[number], 0.0),
                    np.where(history >= 0, total[history], 0.0),
                    np.where(history >= 0, types[history], 0.0),
                )
            )
            history = np.concatenate([[-1], number[:-1]])
        return found

    def probabilities(self, matches: list[_Matches], discount: float) -> Floats:
        """The probability of each token, from the lowest order up."""
        probability = np.full(len(matches[0].count), 1 / self.vocabulary)
        for match in matches:
            known = match.total > 0
            total = np.where(known, match.total, 1.0)
            kept = np.maximum(match.count - discount, 0.0) / total
            freed = discount * match.types / total
            probability = np.where(known, kept + freed * probability, probability)
        return probability


def _find(keys: Integers, wanted: Integers, possible: NDArray[np.bool_]) -> Integers:
    """The index of each wanted key, or -1."""
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(possible & (keys[at] == wanted), at, -1)
