"""What a masked language model must beat: counts, with the very tokens of the runs.

`unigram` knows how frequent each token is. `neighbours` is a Kneser-Ney bigram model (Kneser and Ney, 1995) that is
asked for a token between its neighbours l and r. By Bayes' rule

    p(w | l, r) = p(w | l) p(r | w) / sum over v of p(v | l) p(r | v)

which is all that a bigram model can say of a token, given the whole text around it. p(w | l) = a(l, w) + g(l) u(w),
where a is what discounting leaves of the counts, so the sum needs no loop over the vocabulary:

    (A A)(l, r) + u(r) (A g)(l) + g(l) (u A)(r) + g(l) u(r) (u g)
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from oratory.arrays import blocks
from oratory.baselines.counts import Floats, Ids
from oratory.tokens.ngrams import NgramCounts


class Unigrams:
    """The frequency of each token; what discounting takes away is shared out among all tokens of the vocabulary."""

    def __init__(self, counts: Floats, discount: float) -> None:
        kept = np.maximum(counts - discount, 0.0) / max(1.0, counts.sum())
        self.p: Floats = kept + (1 - kept.sum()) / len(counts)

    def nats(self, ids: Ids) -> Floats:
        """The surprisal of every token of a text."""
        return -np.log(self.p[ids])


class Pairs:
    """How often each token comes after each other."""

    def __init__(self, ids: Ids, vocabulary: int) -> None:
        words, *pairs = NgramCounts(ids, vocabulary, 2).orders
        keys = pairs[0].keys if pairs else np.zeros(0, np.int64)
        often = pairs[0].occurrences if pairs else np.zeros(0, np.int32)
        rows = words.keys[keys // vocabulary]
        self.after = csr_array((often.astype(np.float64), (rows, keys % vocabulary)), shape=(vocabulary, vocabulary))
        """Rows are the tokens before, columns those after."""
        self.before = self.after.T.tocsr()
        self.totals: Floats = np.maximum(np.asarray(self.after.sum(axis=1)), 1)
        """How often each token has one after it."""

    def sums(self, left: Ids, right: Ids) -> Floats:
        """For every pair of neighbours l and r three sums over the tokens v that were met after l and before r: of
        c(l, v) c(v, r) / c(v), of (c(l, v) + c(v, r)) / c(v), and of 1 / c(v).

        Of the two lists of tokens the longer one is spread out, and the shorter one looked up in it.
        """
        both, place = np.unique(np.stack([left, right]), axis=1, return_inverse=True)
        rows, columns = (
            np.diff(matrix.indptr)[ids] for matrix, ids in zip((self.after, self.before), both, strict=True)
        )
        found = np.zeros((3, both.shape[1]))
        for chosen, long, short, (of_long, of_short) in (
            (rows >= columns, self.after, self.before, both),
            (rows < columns, self.before, self.after, both[::-1]),
        ):
            spread, spread_of = np.zeros(len(self.totals)), -1
            for at in sorted(np.flatnonzero(chosen).tolist(), key=of_long.__getitem__):
                if of_long[at] != spread_of:
                    if spread_of >= 0:
                        spread[_row(long, spread_of)[0]] = 0
                    spread_of = of_long[at]
                    tokens, counts = _row(long, spread_of)
                    spread[tokens] = counts
                tokens, counts = _row(short, of_short[at])
                others = spread[tokens]
                shares = (others > 0) / self.totals[tokens]
                found[:, at] = (others * counts) @ shares, (others + counts) @ shares, shares.sum()
        return found[:, place.reshape(-1)]


def _row(matrix: Any, row: int) -> tuple[Ids, Floats]:
    part = slice(matrix.indptr[row], matrix.indptr[row + 1])
    return matrix.indices[part], matrix.data[part]


class Neighbours:
    """Kneser-Ney bigrams, asked for a token between its neighbours."""

    def __init__(self, pairs: Pairs, discount: float) -> None:
        after = np.diff(pairs.after.indptr)
        self.discount, self.totals = discount, pairs.totals
        self.freed: Floats = np.where(after > 0, discount * after / pairs.totals, 1.0)  # g
        self.kept = pairs.after.copy()  # A
        self.kept.data = np.maximum(pairs.after.data - discount, 0.0) / np.repeat(pairs.totals, after)
        self.unigrams = Unigrams(np.diff(pairs.before.indptr).astype(np.float64), discount).p  # u
        self.after_kept: Floats = self.kept @ self.freed
        self.before_kept: Floats = self.unigrams @ self.kept
        self.rest = float(self.unigrams @ self.freed)

    def nats(self, ids: Ids, sums: Floats) -> Floats:
        """The surprisal of every token of a text, given its neighbours; the first and the last have one each.

        `sums` are those of `Pairs` for all other tokens.
        """
        after = np.log(self._p(ids[:-1], ids[1:]))  # Of each token but the first, given the one before it.
        prior = np.concatenate([np.log(self.unigrams[ids[:1]]), after])
        total = np.concatenate([self._between(ids[1:2]), self._sum(ids[:-2], ids[2:], sums)])
        found: Floats = np.append(np.log(total) - after, 0.0) - prior
        return found

    def _p(self, left: Ids, right: Ids) -> Floats:
        kept = np.asarray(self.kept[left, right]).reshape(-1)
        found: Floats = kept + self.freed[left] * self.unigrams[right]
        return found

    def _between(self, right: Ids) -> Floats:
        """The sum where nothing is known on the left."""
        found: Floats = self.before_kept[right] + self.unigrams[right] * self.rest
        return found

    def _sum(self, left: Ids, right: Ids, sums: Floats) -> Floats:
        # (A A)(l, r). A count is at least one and a discount below, so that (c - d) (c' - d) is what it is.
        through = (sums[0] - self.discount * sums[1] + self.discount**2 * sums[2]) / self.totals[left]
        ends = self.unigrams[right] * self.after_kept[left] + self.freed[left] * self.before_kept[right]
        found: Floats = through + ends + self.freed[left] * self.unigrams[right] * self.rest
        return found


class FromBothSides:
    """What is counted to predict a token between others."""

    orders: ClassVar[Mapping[str, int]] = {"unigram": 1, "neighbours": 2}
    tuned_by: ClassVar[Mapping[str, str]] = dict.fromkeys(orders, "neighbours")
    discounts: ClassVar[Sequence[float]] = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    shares: ClassVar[Mapping[str, Sequence[float]]] = {}

    def __init__(self, ids: Ids, vocabulary: int) -> None:
        self.ids, self.vocabulary = ids, vocabulary

    @cached_property
    def pairs(self) -> Pairs:
        return Pairs(self.ids, self.vocabulary)

    def nats(self, name: str, ids: Ids, numbers: Sequence[float]) -> Iterator[Floats]:
        if name == "neighbours":
            sums = self.pairs.sums(ids[:-2], ids[2:])
            yield from (Neighbours(self.pairs, discount).nats(ids, sums) for discount in numbers)
            return
        counts = np.zeros(self.vocabulary)
        for part in blocks(len(self.ids)):
            counts += np.bincount(self.ids[part], minlength=self.vocabulary)
        yield from (Unigrams(counts, discount).nats(ids) for discount in numbers)
