"""Scale: what models and baselines score against how much there is to learn from, and where they cross."""

from oratory.comparisons.scales.design import ScaleDesign
from oratory.comparisons.scales.facts import Scale
from oratory.comparisons.scales.kept import scale_entries, scales_in
from oratory.comparisons.scales.make import load_scale, scale

__all__ = ["Scale", "ScaleDesign", "load_scale", "scale", "scale_entries", "scales_in"]
