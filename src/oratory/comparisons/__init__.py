"""Comparisons: variants against a baseline, over paired seeds and items, with verdicts."""

from oratory.comparisons.comparison import Comparison, Part, VariantFacts
from oratory.comparisons.design import Design, Variant, parse_seeds, parse_variants, write_seeds
from oratory.comparisons.make import compare, evaluate, load_comparison

__all__ = [
    "Comparison",
    "Design",
    "Part",
    "Variant",
    "VariantFacts",
    "compare",
    "evaluate",
    "load_comparison",
    "parse_seeds",
    "parse_variants",
    "write_seeds",
]
