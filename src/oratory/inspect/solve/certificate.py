"""Why no query, or no new key, gives the wanted weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oratory.inspect.solve.problem import Array


@dataclass(frozen=True)
class Certificate:
    """Why the wanted weights are impossible or not reached, in numbers that anyone can check."""

    kind: str
    """`hull`: the affine combination `left` of wanted keys equals the convex combination `right` of the others.
    `dependency`: the coefficients `left` sum to 0, and so do the keys times them; hence the logarithms of the weights
    times them should sum to 0 too, but those of the wanted weights sum to `value`.
    `length`: `left` minus `right` is a vector of length `value`, so short that only queries of length `needed` or more
    give the weights; the scores of such a query are so large that rounding can spoil the weights.
    `ratio`: two keys that stay have weights that differ by a factor of e^`value`; e^`needed` is wanted.
    `reach`: the new key needs a score of `needed`; it can have `value` at most (or at least)."""
    left: dict[int, float]
    right: dict[int, float]
    value: float | None
    needed: float | None
    residual: float
    """The error of the stated equation in floating point, relative to the size of the keys."""
    says: str


def coefficients(indices: NDArray[np.intp], values: Array) -> dict[int, float]:
    """The coefficients that are not zero, by the number of the key."""
    named = zip(indices.tolist(), values.tolist(), strict=True)
    return {index: value for index, value in named if abs(value) > 1e-15}


def combination(terms: dict[int, float]) -> str:
    """A combination of keys in words, such as `0.5 key 1 + 0.5 key 2`."""
    shown = [f"{value:.4g} key {index}" for index, value in terms.items()]
    more = [f"... ({len(shown) - 8} more)"] if len(shown) > 8 else []
    return " + ".join(shown[:8] + more).replace("+ -", "- ")
