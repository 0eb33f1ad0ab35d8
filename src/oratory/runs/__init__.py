"""Runs: training into a store, the record of each run, and using what was trained.

Names are loaded when they are first used: a list of runs needs no torch.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oratory.runs.continuing import resume
    from oratory.runs.execute import Ended, Event, Interrupted, Listener, Started, train
    from oratory.runs.record import Run
    from oratory.runs.store import InUseError, Store

__all__ = ["Ended", "Event", "InUseError", "Interrupted", "Listener", "Run", "Started", "Store", "resume", "train"]

_HOME = {"InUseError": "store", "Run": "record", "Store": "store", "resume": "continuing"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'execute')}"), name)
