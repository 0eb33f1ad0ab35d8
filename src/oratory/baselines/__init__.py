"""What any model must be compared with: majority, lookup, TF-IDF with a linear SVM, Kneser-Ney n-grams."""

from oratory.baselines.kneser_ney import NgramCounts
from oratory.baselines.measure import measure_baselines
from oratory.baselines.scores import Baselines

__all__ = ["Baselines", "NgramCounts", "measure_baselines"]
