"""Runs: the record of each run, the store that keeps them, and the catalogue that lists them.

Names are loaded when they are first used: a list of runs needs no torch.
"""

from typing import TYPE_CHECKING

from oratory.discovery import lazily

if TYPE_CHECKING:
    from oratory.runs.events import Ended, Event, Interrupted, RunListener, Started
    from oratory.runs.record import Record
    from oratory.runs.run import Run
    from oratory.runs.store import InUseError, Store

__all__ = ["Ended", "Event", "InUseError", "Interrupted", "Record", "Run", "RunListener", "Started", "Store"]

__getattr__ = lazily(__name__)
