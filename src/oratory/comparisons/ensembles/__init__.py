"""Ensembles: the runs of a variant over its seeds, averaged in probability, as one model."""

from oratory.comparisons.ensembles.facts import Ensemble
from oratory.comparisons.ensembles.kept import ensemble_entries, ensembles_in
from oratory.comparisons.ensembles.make import ensemble, load_ensemble

__all__ = ["Ensemble", "ensemble", "ensemble_entries", "ensembles_in", "load_ensemble"]
