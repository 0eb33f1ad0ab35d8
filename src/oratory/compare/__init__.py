"""Variants against a baseline, over paired seeds and items: differences, intervals, verdicts."""

from oratory.compare.statistics import (
    Difference,
    Estimate,
    Ratio,
    blocks,
    detectable,
    holm,
    paired,
    ratio,
    single,
    verdict,
    verdict_text,
)

__all__ = [
    "Difference",
    "Estimate",
    "Ratio",
    "blocks",
    "detectable",
    "holm",
    "paired",
    "ratio",
    "single",
    "verdict",
    "verdict_text",
]
