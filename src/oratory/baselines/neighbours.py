"""What a masked language model must beat: counts, with the very tokens of the runs.

`unigram` knows how frequent each token is. `neighbours` is a Kneser-Ney bigram model (Kneser and Ney, 1995) that is
asked for a token between its neighbours l and r. By Bayes' rule

    p(w | l, r) = p(w | l) p(r | w) / sum over v of p(v | l) p(r | v)

which is all that a bigram model can say of a token, given the whole text around it. p(w | l) = a(l, w) + g(l) u(w),
where a is what discounting leaves of the counts, so the sum needs no loop over the vocabulary:

    (A A)(l, r) + u(r) (A g)(l) + g(l) (u A)(r) + g(l) u(r) (u g)
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from oratory.baselines.counts import Floats, Ids
from oratory.tokens.ngrams import NgramCounts

AT_ONCE = 4096
"""Tokens of a text that are looked up at once, which bounds the memory."""


class Unigrams:
    """The frequency of each token; what discounting takes away is shared out among all tokens of the vocabulary."""

    def __init__(self, counts: Floats, discount: float) -> None:
        kept = np.maximum(counts - discount, 0.0) / max(1.0, counts.sum())
        self.p: Floats = kept + (1 - kept.sum()) / len(counts)

    def nats(self, ids: Ids) -> Floats:
        """The surprisal of every token of a text."""
        return -np.log(self.p[ids])


class Neighbours:
    """Kneser-Ney bigrams, asked for a token between its neighbours."""

    def __init__(self, ids: Ids, vocabulary: int, discount: float) -> None:
        pairs = _pairs(ids, vocabulary)
        after = np.diff(pairs.indptr)
        total = np.asarray(pairs.sum(axis=1))
        safe = np.maximum(total, 1)
        self.freed: Floats = np.where(total > 0, discount * after / safe, 1.0)  # g
        self.kept = pairs.copy()  # A
        self.kept.data = np.maximum(pairs.data - discount, 0.0) / np.repeat(safe, after)
        self.unigrams = Unigrams(np.bincount(pairs.indices, minlength=vocabulary).astype(np.float64), discount).p  # u
        self.into = self.kept.T.tocsr()
        self.after_kept: Floats = self.kept @ self.freed
        self.before_kept: Floats = self.unigrams @ self.kept
        self.rest = float(self.unigrams @ self.freed)

    def nats(self, ids: Ids) -> Floats:
        """The surprisal of every token of a text, given its neighbours; the first and the last have one each."""
        after = np.log(self._p(ids[:-1], ids[1:]))  # Of each token but the first, given the one before it.
        prior = np.concatenate([np.log(self.unigrams[ids[:1]]), after])
        total = np.concatenate([self._between(ids[1:2]), self._sum(ids[:-2], ids[2:])])
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

    def _sum(self, left: Ids, right: Ids) -> Floats:
        parts = [slice(at, at + AT_ONCE) for at in range(0, len(left), AT_ONCE)]
        both = np.concatenate([np.zeros(0), *(self._through(left[part], right[part]) for part in parts)])
        ends = self.unigrams[right] * self.after_kept[left] + self.freed[left] * self.before_kept[right]
        found: Floats = both + ends + self.freed[left] * self.unigrams[right] * self.rest
        return found

    def _through(self, left: Ids, right: Ids) -> Floats:
        """(A A)(l, r)"""
        return np.asarray(self.kept[left].multiply(self.into[right]).sum(axis=1)).reshape(-1)


def _pairs(ids: Ids, vocabulary: int) -> Any:
    """How often each token comes after each other, as a sparse matrix; counted in parts, so that a text may be long."""
    words, *pairs = NgramCounts(ids, vocabulary, 2).orders
    keys, often = (pairs[0].keys, pairs[0].occurrences) if pairs else (np.zeros(0, np.int64), np.zeros(0, np.int64))
    rows = words.keys[keys // vocabulary]
    return csr_array((often.astype(np.float64), (rows, keys % vocabulary)), shape=(vocabulary, vocabulary))


class FromBothSides:
    """What is counted to predict a token between others."""

    orders: ClassVar[Mapping[str, int]] = {"unigram": 1, "neighbours": 2}
    tuned_by: ClassVar[Mapping[str, str]] = dict.fromkeys(orders, "neighbours")
    discounts: ClassVar[Sequence[float]] = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
    shares: ClassVar[Mapping[str, Sequence[float]]] = {}

    def __init__(self, ids: Ids, vocabulary: int) -> None:
        self.ids, self.vocabulary = ids, vocabulary

    def nats(self, name: str, ids: Ids, numbers: Sequence[float]) -> Iterator[Floats]:
        for discount in numbers:
            yield self._model(name, discount).nats(ids)

    def _model(self, name: str, discount: float) -> Unigrams | Neighbours:
        if name == "neighbours":
            return Neighbours(self.ids, self.vocabulary, discount)
        return Unigrams(np.bincount(self.ids, minlength=self.vocabulary).astype(np.float64), discount)
