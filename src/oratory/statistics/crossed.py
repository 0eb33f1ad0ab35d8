"""The variance of a mean over seeds and items: both are samples, and crossed, for every seed meets every item.

The mean of S x N scores has the variance

    Var(seed means) / S + Var(item means) / N - residual mean square / (S N),

never taken as less than the larger of the first two, on Satterthwaite's degrees of freedom (Satterthwaite, Biometrics
Bulletin 2, 1946; Owen, Annals of Applied Statistics 1, 2007, on crossed samples). Items of unequal weight, such as
blocks of unequal length, count by their weight, with the corrections of Bell and McCaffrey (Survey Methodology 28,
2002) for a noise that falls with the weight; with equal weights these are the usual N - 1.

S seeds, N items; axes before them, where there are any, are repetitions.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

Array = NDArray[np.float64]
LEVEL = 0.05
"""Of tests and intervals: intervals are of 95%."""
ROUNDING = 1e-9
"""Parts this close to each other count as equal; few 0/1 scores often make them so, and rounding must not decide."""


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
    def p(self) -> Array:
        return two_sided(self.mean, self.variance, self.degrees)


def crossed(matrix: Array, weights: Array) -> Crossed:
    """The parts for ... x S x N scores of two seeds or more, and N weights.

    One item says nothing of other items: then seeds alone count, and the answer holds for that item.
    """
    seeds, items = matrix.shape[-2:]
    share = weights / weights.sum()
    # The weights as they are, divided last: with counts, seeds that are even come out at exactly zero.
    seed_means = matrix @ weights / weights.sum()
    item_means = matrix.mean(axis=-2)
    mean = seed_means.mean(axis=-1)
    by_seed = seed_means.var(axis=-1, ddof=1) / seeds
    if items == 1:
        return Crossed(mean, by_seed, np.zeros_like(mean), np.zeros_like(mean), seeds - 1, 1)
    # An item pulls the mean towards itself by its share; dividing by what is left of the distance undoes that.
    pull = share / (1 - share)
    by_item = (item_means - mean[..., None]) ** 2 @ (share * pull)
    rest = matrix - seed_means[..., None] - item_means[..., None, :] + mean[..., None, None]
    residual = (rest**2).sum(axis=-2) @ (share * pull) / (seeds * (seeds - 1))
    item_degrees = 1 / float(pull**2 @ (1 - 2 * share) + (share @ pull) ** 2)
    return Crossed(mean, by_seed, by_item, residual, seeds - 1, item_degrees)


def two_sided(mean: Array, variance: Array, degrees: Array | float) -> Array:
    """p of a mean on the t distribution; without any variance, whatever is not zero is no chance."""
    certain = variance <= 0
    t = np.abs(mean) / np.sqrt(np.where(certain, 1.0, variance))
    return np.where(certain, np.where(mean == 0, 1.0, 0.0), 2 * stdtr(degrees, -t))


def quantile(degrees: float) -> float:
    """How many standard errors a 95% interval reaches to either side, by Student's t."""
    return -float(stdtrit(degrees, LEVEL / 2))
