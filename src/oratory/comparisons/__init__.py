"""Comparisons: variants against a baseline, over paired seeds and items, with verdicts.

Names are loaded when they are first used: variants are parsed without torch.
"""

from typing import TYPE_CHECKING

from oratory.discovery import lazily

if TYPE_CHECKING:
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

__getattr__ = lazily(__name__)
