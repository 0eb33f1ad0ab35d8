"""Training. So far: what a run would train."""

from oratory.train.prepare import Prepared, prepare, settings_of

__all__ = ["Prepared", "prepare", "settings_of"]
