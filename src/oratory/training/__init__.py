"""Training. So far: what a run would train."""

from oratory.training.prepare import Prepared, prepare, settings_of

__all__ = ["Prepared", "prepare", "settings_of"]
