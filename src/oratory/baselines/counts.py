"""Models that are counts of a training text."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from oratory.tokens.ngrams import NgramCounts

Floats = NDArray[np.float64]
Ids = NDArray[np.int32]

USUAL_DISCOUNT = 0.75
"""For a corpus too small to choose one."""
KNESER_NEY = "kneser-ney"


class CountModels(Protocol):
    """Models of one kind by their names, counted in one text. A model is these counts and a discount."""

    orders: ClassVar[Mapping[str, int]]
    """How many tokens in a row each model counts."""
    tuned_by: ClassVar[Mapping[str, str]]
    """The model whose discount each model takes; mostly its own."""
    discounts: ClassVar[Sequence[float]]
    """What is tried on dev."""

    def __init__(self, ids: Ids, vocabulary: int) -> None: ...

    def nats(self, name: str, ids: Ids, discounts: Sequence[float]) -> Iterator[Floats]:
        """The surprisal of every token of a text, with each discount."""
        ...


class KneserNey:
    """Interpolated Kneser-Ney n-grams of several orders."""

    orders: ClassVar[Mapping[str, int]] = {f"{KNESER_NEY}-{order}": order for order in (1, 2, 3, 4, 5)}
    tuned_by: ClassVar[Mapping[str, str]] = {name: name for name in orders}
    discounts: ClassVar[Sequence[float]] = tuple(round(0.05 * step, 2) for step in range(1, 20))

    def __init__(self, ids: Ids, vocabulary: int) -> None:
        self.counts = NgramCounts(ids, vocabulary, max(self.orders.values()))

    def nats(self, name: str, ids: Ids, discounts: Sequence[float]) -> Iterator[Floats]:
        matches = self.counts.match(ids, self.orders[name])
        for discount in discounts:
            yield -np.log(self.counts.probabilities(matches, discount))
