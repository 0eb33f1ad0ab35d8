"""Statistics: arrays in, numbers out. Crossed variance, paired differences, Holm, intervals, power."""

from oratory.statistics.crossed import LEVEL, Array
from oratory.statistics.paired import (
    Better,
    Difference,
    Estimate,
    Ratio,
    detectable,
    holm,
    mean_of,
    paired,
    prediction,
    ratio,
    single,
    verdict,
    verdict_text,
)

__all__ = [
    "LEVEL",
    "Array",
    "Better",
    "Difference",
    "Estimate",
    "Ratio",
    "detectable",
    "holm",
    "mean_of",
    "paired",
    "prediction",
    "ratio",
    "single",
    "verdict",
    "verdict_text",
]
