"""The variance of a mean over seeds and items: both are samples, and crossed, for every seed meets every item.

The mean of S x N scores has the variance

    Var(seed means) / S + Var(item means) / N - residual mean square / (S N),

never taken as less than the larger of the first two, on Satterthwaite's degrees of freedom (Satterthwaite, Biometrics
Bulletin 2, 1946; Owen, Annals of Applied Statistics 1, 2007, on crossed samples). Items of unequal weight, such as
blocks of unequal length, count by their weight, with the corrections of Bell and McCaffrey (Survey Methodology 28,
2002) for a noise that falls with the weight; with equal weights these are the usual N - 1.

Items may be drawn in strata, such as so many addresses of each speaker. Then an item is compared with the mean of its
stratum, since a new sample has as many of each; an item alone in its stratum has the mean variance of the others.

S seeds, N items; axes before them, where there are any, are repetitions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Strata = NDArray[np.int64]
"""The number of each item's stratum."""
LEVEL = 0.05
"""Of tests and intervals: intervals are of 95%."""
LEAST_SEEDS = 3
"""Fewer seeds than this give no verdict."""
ROUNDING = 1e-9
"""Parts this close to each other count as equal; few 0/1 scores often make them so, and rounding must not decide."""
EQUAL = 1e-12
"""Means of seeds that differ by no more than this share of the scores are equal."""


@dataclass(frozen=True)
class Crossed:
    """The parts of a mean's variance: what seeds give it, what items give it, and the residual that is in both."""

    mean: Array
    by_seed: Array
    by_item: Array
    residual: Array
    seed_degrees: float
    item_degrees: float

    @property
    def floored(self) -> NDArray[np.bool_]:
        """Whether the sum is below its larger part, which is when the smaller one is less than the residual."""
        return np.minimum(self.by_seed, self.by_item) < self.residual * (1 + ROUNDING)

    @property
    def variance(self) -> Array:
        largest = np.maximum(self.by_seed, self.by_item)
        return np.where(self.floored, largest, self.by_seed + self.by_item - self.residual)

    @property
    def degrees(self) -> Array:
        """Satterthwaite's; where the variance is one part alone, that part's own."""
        both = self.seed_degrees * self.item_degrees
        by_seed_alone = self.by_seed * (1 + ROUNDING) >= self.by_item
        alone = np.where(by_seed_alone, self.seed_degrees, self.item_degrees)
        spread = self.by_seed**2 / self.seed_degrees + self.by_item**2 / self.item_degrees + self.residual**2 / both
        usable = ~self.floored & (spread > 0)
        return np.where(usable, self.variance**2 / np.where(usable, spread, 1.0), alone)

    @property
    def tests(self) -> tuple[tuple[Array, Array | float], ...]:
        """The tests that a mean must pass, as variances and degrees: over both samples, over seeds, over items.

        The crossed estimate borrows the degrees of the larger sample where the part of the smaller one came out too
        small by chance. The tests over one sample each do not.
        """
        return (
            (self.variance, self.degrees),
            (self.by_seed, self.seed_degrees),
            (self.by_item, self.item_degrees),
        )

    @property
    def decides(self) -> NDArray[np.bool_]:
        """Whether there are enough seeds for a verdict, and they differ: equal seeds do not say how others would do."""
        return (self.by_seed > 0) & (self.seed_degrees >= LEAST_SEEDS - 1)

    @property
    def p(self) -> Array:
        """The largest p of the tests; NaN where there can be no verdict."""
        found = [two_sided(self.mean, variance, degrees) for variance, degrees in self.tests]
        return np.where(self.decides, np.max(found, axis=0), np.nan)

    def reach(self, level: float = LEVEL) -> Array:
        """How far an interval goes to either side: as far as that of the widest test, so that it agrees with p."""
        reaches = [quantile(degrees, level) * np.sqrt(variance) for variance, degrees in self.tests]
        return np.asarray(np.max(reaches, axis=0))


def crossed(matrix: Array, weights: Array, strata: Strata | None = None) -> Crossed:
    """The parts for ... x S x N scores of two seeds or more, N weights, and the strata of the N items if they have any.

    One item says nothing of other items: then seeds alone count, and the answer holds for that item.
    """
    seeds, items = matrix.shape[-2:]
    if strata is None or len(np.unique(strata)) == items:  # Where each is alone, nothing says how items vary within.
        strata = np.zeros(items, np.int64)
    share = weights / weights.sum()
    # The weights as they are, divided last: with counts, seeds that are even come out at exactly zero.
    seed_means = matrix @ weights / weights.sum()
    item_means = matrix.mean(axis=-2)
    mean = seed_means.mean(axis=-1)
    alike = np.ptp(seed_means, axis=-1) <= EQUAL * np.abs(matrix).max(axis=(-2, -1))
    by_seed = np.where(alike, 0.0, seed_means.var(axis=-1, ddof=1) / seeds)
    if items == 1:
        return Crossed(mean, by_seed, np.zeros_like(mean), np.zeros_like(mean), seeds - 1, 1)
    inside, degrees = _inside(weights, strata)
    members = [np.flatnonzero(strata == number) for number in range(strata.max() + 1)]
    several = inside < 1

    def of_stratum(values: Array) -> Array:
        """For each item, the mean of its stratum."""
        return np.stack([values[..., own] @ weights[own] / weights[own].sum() for own in members], axis=-1)[..., strata]

    def spread(squares: Array) -> Array:
        """What items with these squared deviations give to the variance of the mean."""
        # An item pulls the mean towards itself by its share; dividing by what is left of the distance undoes that.
        own = squares / np.where(several, 1 - inside, 1.0)
        own = np.where(several, own, own[..., several].mean(axis=-1, keepdims=True))
        return np.asarray(own @ share**2)

    deviation = item_means - of_stratum(item_means)
    rest = matrix - of_stratum(matrix) - deviation[..., None, :]
    residual = spread((rest**2).sum(axis=-2)) / (seeds * (seeds - 1))
    return Crossed(mean, by_seed, spread(deviation**2), residual, seeds - 1, degrees)


def _inside(weights: Array, strata: Strata) -> tuple[Array, float]:
    """The share of each item in its stratum, and the degrees of freedom that all strata together give to items."""
    totals = np.bincount(strata, weights)
    inside = weights / totals[strata]
    pull = np.where(inside < 1, inside / np.where(inside < 1, 1 - inside, 1.0), 0.0)
    # By stratum, one over its degrees: those of Bell and McCaffrey, which are n - 1 where weights are equal.
    lost = np.bincount(strata, pull**2 * (1 - 2 * inside)) + np.bincount(strata, inside * pull) ** 2
    known = np.where(lost > 0, totals, 0.0)
    return inside, float(known.sum() ** 2 / (known**2 @ lost))


def two_sided(mean: Array, variance: Array, degrees: Array | float) -> Array:
    """p of a mean on the t distribution; a part without any variance does not speak against a difference."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(mean) / np.sqrt(variance)
    from scipy.special import stdtr  # Loaded when it is needed: lists of runs do without it.

    return np.asarray(2 * stdtr(degrees, -np.where(mean == 0, 0.0, t)))


def quantile(degrees: Array | float, level: float = LEVEL) -> Array:
    """How many standard errors an interval reaches to either side, by Student's t."""
    from scipy.special import stdtrit

    return -np.asarray(stdtrit(degrees, level / 2))
