"""Variants against a baseline, over paired seeds and items: differences, intervals, verdicts."""

from oratory.comparison.comparison import Comparison, Part, VariantFacts
from oratory.comparison.design import Design, Variant, parse_seeds, parse_variants, write_seeds
from oratory.comparison.jobs import Executor, Job, Outcome, Step
from oratory.comparison.local import Local
from oratory.comparison.make import compare, evaluate, load_comparison
from oratory.comparison.statistics import (
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
    "Comparison",
    "Design",
    "Difference",
    "Estimate",
    "Executor",
    "Job",
    "Local",
    "Outcome",
    "Part",
    "Ratio",
    "Step",
    "Variant",
    "VariantFacts",
    "blocks",
    "compare",
    "detectable",
    "evaluate",
    "holm",
    "load_comparison",
    "paired",
    "parse_seeds",
    "parse_variants",
    "ratio",
    "single",
    "verdict",
    "verdict_text",
    "write_seeds",
]
