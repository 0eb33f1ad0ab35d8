"""Scale: what models and baselines score against how much there is to learn from, and where they cross."""

from oratory.comparisons.scales.design import ScaleDesign
from oratory.comparisons.scales.facts import Scale
from oratory.comparisons.scales.make import load_scale, scale
from oratory.comparisons.scales.record import ScaleRecord

__all__ = ["Scale", "ScaleDesign", "ScaleRecord", "load_scale", "scale"]
