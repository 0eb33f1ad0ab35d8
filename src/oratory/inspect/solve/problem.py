"""One query to find: the keys, the weights that they should have, and when these count as reached."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

REACHED = 1e-6
"""Weights this close to the wanted ones count as reached."""
EQUAL = 1e-9
"""Weights this close to each other count as equal."""
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Problem:
    """Keys, the weights that they should have, and the factor that multiplies scores."""

    keys: Array  # (N, D)
    wanted: Array  # (N,)
    factor: float
    length: float | None = None
    """The length that a query may have; None for any length."""

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """Which keys should have weight."""
        return self.wanted > 0

    @cached_property
    def uniform(self) -> bool:
        """Whether all wanted weights that are not zero are equal."""
        return bool(np.ptp(self.wanted[self.inside]) == 0)

    @cached_property
    def size(self) -> float:
        """The largest distance of a key from the mean of the keys: the unit of every tolerance."""
        return float(np.linalg.norm(self.keys - self.keys.mean(0), axis=1).max()) or 1.0

    @cached_property
    def noise(self) -> float:
        """The distance between keys, in units of `size`, that rounding alone can explain."""
        return float(16 * EPSILON * max(1.0, np.abs(self.keys).max() / self.size))

    def scores(self, query: Array) -> Array:
        return np.asarray(self.factor * (self.keys @ query))

    def weights(self, query: Array) -> Array:
        return _softmax(self.scores(query))

    def error(self, query: Array) -> float:
        """The largest difference between a weight and the wanted one."""
        return max(float(np.abs(weights - self.wanted).max()) for weights in self._all_weights(query))

    def divergence(self, query: Array) -> float:
        """The Kullback-Leibler divergence of the weights from the wanted ones, in nats: sum of w log(w / weight)."""
        wanted = self.wanted[self.inside]
        with np.errstate(divide="ignore"):
            found = [np.log(weights[self.inside]) for weights in self._all_weights(query)]
        return max(0.0, *(float(wanted @ (np.log(wanted) - logs)) for logs in found))

    def reached_by(self, query: Array) -> bool:
        """Whether a query gives the wanted weights: all within 1e-6, and equal ones equal to 1e-9."""
        equal = [self.wanted == value for value in np.unique(self.wanted[self.inside])]
        spread = max(float(np.ptp(weights[which])) for weights in self._all_weights(query) for which in equal)
        return self.error(query) <= REACHED and spread <= EQUAL

    def rounding(self, query: Array) -> float:
        """A bound on the rounding error in the difference of two scores."""
        products = np.abs(self.keys) @ np.abs(query)
        return float(self.factor * EPSILON * (self.keys.shape[1] + 2) * products.max())

    def _all_weights(self, query: Array) -> list[Array]:
        """The weights; where scores are large, those without rounding too, since rounding can be right by luck."""
        weights = [self.weights(query)]
        if self.rounding(query) > EQUAL / 10:
            numbers = [Fraction(value) for value in query.tolist()]
            scores = [sum(Fraction(a) * b for a, b in zip(key, numbers, strict=True)) for key in self.keys.tolist()]
            weights.append(_softmax(self.factor * np.array([float(score - scores[0]) for score in scores])))
        return weights


def _softmax(scores: Array) -> Array:
    shares = np.exp(scores - scores.max())
    return np.asarray(shares / shares.sum())
