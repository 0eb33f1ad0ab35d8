"""Ensembles: the runs of a variant over its seeds, averaged in probability, as one model."""

from oratory.comparisons.ensembles.facts import Ensemble
from oratory.comparisons.ensembles.make import ensemble, load_ensemble
from oratory.comparisons.ensembles.record import EnsembleRecord

__all__ = ["Ensemble", "EnsembleRecord", "ensemble", "load_ensemble"]
