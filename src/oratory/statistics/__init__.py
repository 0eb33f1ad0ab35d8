"""Statistics: arrays in, numbers out. Crossed variance, paired differences, Holm, intervals, power."""

from oratory.statistics.crossed import LEAST_SEEDS, LEVEL, Array, Strata
from oratory.statistics.paired import (
    Better,
    Difference,
    Estimate,
    Ratio,
    mean_of,
    over_items,
    paired,
    prediction,
    ratio,
    single,
)
from oratory.statistics.power import detectable
from oratory.statistics.verdicts import false_discovery, holm, verdict, verdict_text

__all__ = [
    "LEAST_SEEDS",
    "LEVEL",
    "Array",
    "Better",
    "Difference",
    "Estimate",
    "Ratio",
    "Strata",
    "detectable",
    "false_discovery",
    "holm",
    "mean_of",
    "over_items",
    "paired",
    "prediction",
    "ratio",
    "single",
    "verdict",
    "verdict_text",
]
