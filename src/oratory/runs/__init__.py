"""Runs: the record of each run, the store that keeps them, and the catalogue that lists them.

Names are loaded when they are first used: a list of runs needs no torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oratory.runs.events import Ended, Event, Interrupted, Listener, Started
    from oratory.runs.record import Record
    from oratory.runs.run import Run
    from oratory.runs.store import InUseError, Store

__all__ = ["Ended", "Event", "InUseError", "Interrupted", "Listener", "Record", "Run", "Started", "Store"]

_HOME = {"InUseError": "store", "Record": "record", "Run": "run", "Store": "store"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'events')}"), name)
