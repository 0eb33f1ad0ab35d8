"""Trained models that stay in memory between requests, up to a bound; what was not used for longest goes first."""

import threading
from collections import OrderedDict
from pathlib import Path

from oratory import api
from oratory.errors import InputError
from oratory.records import RECORD
from oratory.runs import Run

MOST = 1_000_000_000
"""Bytes of weights that are kept. A model that is larger by itself is loaded, used and forgotten."""
FLOAT = 4
"""Bytes of a weight."""


class Models:
    """Runs of one folder whose models are loaded once and kept."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._folder = folder
        self._most = most
        self._kept: OrderedDict[str, Run] = OrderedDict()
        self._stamps: dict[str, tuple[int, int, int]] = {}
        self._lock = threading.Lock()
        self._loading: dict[str, threading.Lock] = {}

    def run(self, name: str) -> Run:
        """A finished run, by its id, the beginning of it, or `last`; its model and tokenizer are loaded.

        The same object is given to everybody: a caller may compute with its model, but not change it.
        """
        if (unchanged := self._unchanged(name)) is not None:
            return unchanged
        folder = api.load_run(name, self._folder).folder
        stamp, found = _stamp(folder), Run.read(folder)  # In this order: a record that is written now is noticed later.
        if found.status != "finished":
            raise InputError(f"The run {found.id} is not finished ({found.status}); train it to its end first.")
        with self._lock:
            loading = self._loading.setdefault(found.id, threading.Lock())
        with loading:  # Many who ask for one model at once wait for the first of them to load it.
            kept = self._known(found)
            if kept is None:
                kept = found
                _ = kept.model, kept.tokenizer
                self._keep(kept)
        with self._lock:
            if kept.id in self._kept:
                self._stamps[kept.id] = stamp
        return kept

    @property
    def size(self) -> int:
        """Bytes of weights that are kept."""
        return sum(_size(run) for run in self._kept.values())

    def _unchanged(self, name: str) -> Run | None:
        """A run that is kept, if its record was not written since: to read it would take longer than most answers."""
        with self._lock:
            kept, stamp = self._kept.get(name), self._stamps.get(name)
            if kept is None:
                return None
            self._kept.move_to_end(name)
        try:
            return kept if _stamp(kept.folder) == stamp else None
        except OSError:  # It was removed.
            return None

    def _known(self, found: Run) -> Run | None:
        """The run as it is kept, unless its record has changed since: it may have been trained again."""
        with self._lock:
            kept = self._kept.get(found.id)
            if kept is None or kept.record.files != found.record.files:
                return None
            self._kept.move_to_end(found.id)
            return kept

    def _keep(self, run: Run) -> None:
        with self._lock:
            self._kept[run.id] = run
            self._kept.move_to_end(run.id)
            while self._kept and self.size > self._most:
                gone, _ = self._kept.popitem(last=False)
                self._loading.pop(gone, None)
                self._stamps.pop(gone, None)


def _stamp(folder: Path) -> tuple[int, int, int]:
    """What changes whenever the record of a run is written: it is always a new file."""
    found = (folder / RECORD).stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def _size(run: Run) -> int:
    return FLOAT * run.record.parameters.total
