"""Curves of a figure against a size: straight lines through them, and where two of them cross.

Shapes: S seeds, K sizes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from oratory.statistics.crossed import LEAST_SEEDS, Array
from oratory.statistics.paired import mean_of

STRAIGHT = 0.98
"""The share of the variance along a curve that a straight line has to explain."""
ENOUGH_SIZES = 4
"""Sizes that a line is fitted to; three points are soon almost straight."""
DRAWS = 2000
CERTAIN = 0.95
"""The share of bootstrap draws in which the curves have to cross once, and the same way."""


@dataclass(frozen=True)
class Line:
    """y = intercept + slope ln(size), where y is the figure or its logarithm."""

    intercept: float
    slope: float
    logarithmic: bool
    """Whether y is the logarithm of the figure."""
    explained: float
    """The share of the variance of y that it explains."""

    def at(self, size: float) -> float:
        """The figure that it gives."""
        y = self.intercept + self.slope * float(np.log(size))
        return float(np.exp(y)) if self.logarithmic else y


@dataclass(frozen=True)
class Crossing:
    """Where two curves cross, if they do so for certain."""

    size: float
    interval: tuple[float, float]
    """Of 95%, over seeds."""
    first_above: bool
    """Whether the first curve is the higher one beyond it."""


def line_of(sizes: Sequence[float], values: Sequence[float], logarithmic: bool) -> Line | None:
    """The straight line through a curve; None where the curve is not straight, or has too few sizes to tell."""
    y = np.asarray(values, np.float64)
    if len(y) < ENOUGH_SIZES or (logarithmic and (y <= 0).any()):
        return None
    y, x = np.log(y) if logarithmic else y, np.log(np.asarray(sizes, np.float64))
    slope, intercept = np.polyfit(x, y, 1)
    spread = float(((y - y.mean()) ** 2).sum())
    explained = 1 - float(((y - intercept - slope * x) ** 2).sum()) / spread if spread > 0 else 0.0
    return Line(float(intercept), float(slope), logarithmic, explained) if explained >= STRAIGHT else None


def crossing_of(sizes: Sequence[float], first: Array, second: Array, seed: int = 0) -> Crossing | None:
    """Where two curves cross, inside the sizes that were measured; None where that is not certain.

    A curve is a matrix of S x K, of the same seeds; a model without seeds has the same row for each. It is certain if
    the difference at both ends is not zero by a t test over seeds, with opposite signs, and if almost all draws of
    seeds with replacement make the curves cross just once.
    """
    differences = np.asarray(first, np.float64) - np.asarray(second, np.float64)
    differences = differences[np.isfinite(differences).all(axis=1)]
    if len(differences) < LEAST_SEEDS:
        return None
    ends = [_sign(differences[:, at]) for at in (0, -1)]
    if ends[0] * ends[1] != -1:
        return None
    at = np.log(np.asarray(sizes, np.float64))
    generator = np.random.default_rng(seed)
    drawn = differences[generator.integers(len(differences), size=(DRAWS, len(differences)))].mean(axis=1)  # draws, K
    found = [places[0] for row in drawn if len(places := _zeros(at, row)) == 1]
    whole = _zeros(at, differences.mean(axis=0))
    if len(found) < CERTAIN * DRAWS or len(whole) != 1:
        return None
    low, high = np.exp(np.quantile(found, [0.025, 0.975]))
    return Crossing(float(np.exp(whole[0])), (float(low), float(high)), ends[1] > 0)


def _sign(values: Array) -> int:
    """The sign of a mean over seeds, or 0 where it may be either."""
    found = mean_of(values.tolist())
    if found.interval is None:  # Without any variance over seeds the difference is what it is.
        return int(np.sign(found.mean)) if np.ptp(values) == 0 else 0
    return 0 if found.interval[0] <= 0 <= found.interval[1] else int(np.sign(found.mean))


def _zeros(at: Array, values: Array) -> list[float]:
    """Where a curve of straight pieces changes its sign."""
    signs = np.sign(values)
    turns = np.flatnonzero(signs[:-1] * signs[1:] < 0)
    return [float(at[k] + (at[k + 1] - at[k]) * values[k] / (values[k] - values[k + 1])) for k in turns]
