"""What fewer seeds would have shown, and what more of them could: the same experiment by its number of seeds."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from oratory.errors import InputError
from oratory.statistics.crossed import LEVEL, Array, Crossed, Strata, crossed
from oratory.statistics.paired import Better, Difference, paired
from oratory.statistics.power import detectable
from oratory.statistics.verdicts import VerdictWord, verdict


@dataclass(frozen=True)
class WithSeeds:
    """The first so many seeds of an experiment, judged as if there were no others."""

    difference: Difference
    verdict: VerdictWord

    @property
    def seeds(self) -> int:
        return self.difference.seeds

    def to_dict(self) -> dict[str, Any]:
        return {**self.difference.to_dict(), "verdict": self.verdict}


@dataclass(frozen=True)
class Planned:
    """What a new experiment would see with another number of seeds, if the variances of this one are the true ones."""

    seeds: int
    detectable: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def by_seeds(
    variant: ArrayLike,
    baseline: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    better: Better = "higher",
    strata: Strata | None = None,
) -> list[WithSeeds]:
    """One comparison with its first seed, its first two, and so on; seeds that lack a score are left out before."""
    left, right = np.asarray(variant, np.float64), np.asarray(baseline, np.float64)
    whole = np.isfinite(left).all(axis=1) & np.isfinite(right).all(axis=1)
    left, right = left[whole], right[whole]
    if not len(left):
        raise InputError("No seed has a score on every item; at least one run must have ended well on each side.")
    found = [
        paired(left[:count], right[:count], weights, better=better, strata=strata) for count in range(1, len(left) + 1)
    ]
    return [WithSeeds(each, verdict(each)) for each in found]


def planned(
    variant: ArrayLike,
    baseline: ArrayLike,
    seeds: Sequence[int],
    weights: ArrayLike | None = None,
    strata: Strata | None = None,
) -> list[Planned]:
    """The smallest difference that would be seen with each number of seeds; nothing where two seeds are not there.

    The variances of this experiment are taken as they are: of more seeds, what seeds and the residual give the mean
    shrinks; what items give it stays.
    """
    difference = np.asarray(variant, np.float64) - np.asarray(baseline, np.float64)
    difference = difference[np.isfinite(difference).all(axis=1)]
    count = len(difference)
    if count < 2:
        return []
    per_item: Array = np.ones(difference.shape[1]) if weights is None else np.asarray(weights, np.float64)
    parts = crossed(difference, per_item, strata)
    again = [(number, _with(parts, count, number)) for number in seeds if number > 1]
    return [Planned(number, detectable(each, LEVEL)) for number, each in again if each.decides]


def _with(parts: Crossed, seeds: int, number: int) -> Crossed:
    """The parts of the variance with another number of seeds."""
    shrink = seeds / number
    residual = parts.residual * shrink
    # The means of items have the residual in them, over the seeds of this experiment.
    by_item = np.maximum(parts.by_item - parts.residual, 0.0) + residual
    return replace(parts, by_seed=parts.by_seed * shrink, by_item=by_item, residual=residual, seed_degrees=number - 1)
