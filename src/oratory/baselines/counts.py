"""Models that are counts of a training text."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from oratory.tokens.ngrams import Matches, NgramCounts

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]

USUAL_DISCOUNT = 0.75
"""For a corpus too small to choose one."""
KNESER_NEY = "kneser-ney"


class CountModels(Protocol):
    """Models of one kind by their names, counted in one text. A model is these counts and one number at most."""

    orders: ClassVar[Mapping[str, int]]
    """How many tokens in a row each model counts."""
    tuned_by: ClassVar[Mapping[str, str]]
    """The model whose number each model takes; mostly its own."""
    discounts: ClassVar[Sequence[float]]
    """What is tried on dev for a discount."""
    shares: ClassVar[Mapping[str, Sequence[float]]]
    """What is tried on dev in place of a discount: the share of a cache, or nothing for discounts that follow from the
    counts."""

    def __init__(self, ids: Ids, vocabulary: int) -> None: ...

    def nats(self, name: str, ids: Ids, numbers: Sequence[float]) -> Iterator[Floats]:
        """The surprisal of every token of a text, with each discount or share."""
        ...


NO_CACHE: Sequence[float] = (0.0,)
SHARES: Sequence[float] = tuple(round(0.01 * step, 2) for step in (*range(10), *range(10, 42, 2)))
CACHE = 2000
"""Earlier tokens that a cache holds, as many as that of a hybrid model."""


class KneserNey:
    """Interpolated Kneser-Ney n-grams of several orders; modified ones with three discounts; and these with a cache."""

    plain: ClassVar[Mapping[str, int]] = {f"{KNESER_NEY}-{order}": order for order in (1, 2, 3, 4, 5)}
    modified: ClassVar[Mapping[str, int]] = {f"modified-{KNESER_NEY}-{order}": order for order in (3, 4, 5)}
    cached: ClassVar[Mapping[str, int]] = {f"cached-{KNESER_NEY}-{order}": order for order in (3, 4, 5)}
    orders: ClassVar[Mapping[str, int]] = {**plain, **modified, **cached}
    tuned_by: ClassVar[Mapping[str, str]] = {name: name for name in orders}
    discounts: ClassVar[Sequence[float]] = tuple(round(0.05 * step, 2) for step in range(1, 20))
    shares: ClassVar[Mapping[str, Sequence[float]]] = {
        **dict.fromkeys(modified, NO_CACHE),
        **dict.fromkeys(cached, SHARES),
    }

    def __init__(self, ids: Ids, vocabulary: int) -> None:
        self.counts = NgramCounts(ids, vocabulary, max(self.orders.values()))
        self._matched: tuple[Ids, list[tuple[Matches, Matches]]] | None = None

    def nats(self, name: str, ids: Ids, numbers: Sequence[float]) -> Iterator[Floats]:
        order = self.orders[name]
        matches = self._matches(ids, order)
        if name in self.plain:
            for discount in numbers:
                yield -np.log(self.counts.probabilities(matches, discount))
            return
        counted = self.counts.probabilities(matches, self.counts.modified(order))
        said, known = cached_shares(ids, CACHE)
        for share in numbers:
            yield -np.log(np.where(known, (1 - share) * counted + share * said, counted))

    def _matches(self, ids: Ids, order: int) -> list[Matches]:
        """As `NgramCounts.match`; what was found for the last text is kept, for models of other orders."""
        if self._matched is None or self._matched[0] is not ids:
            self._matched = None  # Before the next one is found, so that both need not fit.
            self._matched = ids, self.counts.match_all(ids, max(self.orders.values()))
        *lower, (_, last) = self._matched[1][:order]
        return [*(continued for continued, _ in lower), last]


def cached_shares(ids: Ids, size: int) -> tuple[Floats, NDArray[np.bool_]]:
    """For each token, its share of the `size` tokens before it, and whether there is any (Kuhn and De Mori, 1990)."""
    said, counts = np.zeros(len(ids)), Counter[int]()
    for at, token in enumerate(map(int, ids)):
        if at > size:
            counts[int(ids[at - size - 1])] -= 1
        said[at] = counts[token] / max(1, min(at, size))
        counts[token] += 1
    return said, np.arange(len(ids)) > 0
