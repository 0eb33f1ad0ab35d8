"""Items that come in groups, such as the sentences of one address: when a group counts as one, and why.

Items of one group are alike. A test that takes them for independent sees differences that are not there (`python -m
benchmarks clustered`: in up to 76% of comparisons). A test over the means of groups keeps to 7% from three groups on,
and to 8.3% with two. With three or four groups it hardly ever shows anything, so it takes five.
"""

import numpy as np
from numpy.typing import NDArray

from oratory.statistics.crossed import Array, Strata

ENOUGH = 5
"""Groups from which on each counts as one."""
LARGEST = 0.5
"""The largest share of all items that one group may have, if each is to count as one."""


def enough_groups(weights: Array, strata: Strata | None = None) -> bool:
    """Whether groups of these weights are enough, and even enough, to count each as one.

    In strata, the groups of each say how much groups vary, but for one that its mean takes.
    """
    taken = 0 if strata is None else len(set(strata.tolist())) - 1
    return len(weights) - taken >= ENOUGH and bool(weights.max() <= LARGEST * weights.sum())


def summed(values: Array, weights: Array, unit: NDArray[np.int64]) -> tuple[Array, Array]:
    """The weighted mean and the weight of each unit; `unit` has the number of each item's unit.

    A unit without weight has the mean 0.
    """
    total: Array = np.bincount(unit, weights).astype(np.float64)
    return np.bincount(unit, weights * values) / np.where(total > 0, total, 1.0), total
