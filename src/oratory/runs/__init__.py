"""Runs: training into a store, the record of each run, and using what was trained."""

from oratory.runs.execute import Ended, Event, Interrupted, Listener, Started, train
from oratory.runs.record import Run
from oratory.runs.resume import resume
from oratory.runs.store import Store

__all__ = ["Ended", "Event", "Interrupted", "Listener", "Run", "Started", "Store", "resume", "train"]
