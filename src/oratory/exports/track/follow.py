"""Following a run with a tracker: what to write, where to continue, and what to do when the tracker fails.

A line of the metrics is a row of a tracker. How many rows a tracker has is noted in the run's folder, so a run that
continues, or one that was begun without the tracker, is filled up from its own metrics, and no row is written twice.
"""

import json
import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from oratory.errors import InputError, unknown
from oratory.exports.track.figures import MetricsRow, named, row_of
from oratory.files import read_bytes, write_text
from oratory.runs import Run
from oratory.runs.events import Ended, Event, Interrupted, Started

TRACKERS = {
    "wandb": ("wandb",),
    "tensorboard": ("tensorboard",),
    "mlflow": ("mlflow", "sqlalchemy", "alembic"),
}
"""The libraries that each tracker needs."""
NOTE = "oratory.json"
"""In the folder of the tracker in the run's: how far it got."""
MOST = 1000
"""Rows that wait, at most."""


class Book(Protocol):
    """A library's own way to keep a run."""

    every: int
    """One in so many updates is written; the speed of the library decides."""
    place: str
    """Where it is kept, and how to look at it; known once it is open."""

    def open(self, run: Run, note: dict[str, Any], runs: Path | None) -> dict[str, Any]:
        """Begin, or continue what the note describes; returns the new note, with the number of `rows` in the book."""

    def write(self, rows: list[MetricsRow]) -> None: ...

    def close(self, run: Run, how: str) -> None:
        """`how` is finished, interrupted or failed."""


def tracker(
    name: str,
    runs: str | os.PathLike[str] | None = None,
    say: Callable[[str], None] | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> "Tracker":
    """A listener for `train` that keeps the run in wandb, tensorboard or mlflow as well.

    MLflow's own database is in `runs`, by default beside the runs. `say` is told when the tracker fails, which
    never stops training; unless given, that is a warning. In a `with`, a run that stops
    early is closed too. `tell` is told what is kept, and where.
    """
    if name not in TRACKERS:
        raise unknown("tracker", name, TRACKERS)
    missing = [library for library in TRACKERS[name] if find_spec(library) is None]
    if missing:
        raise InputError(f"The tracker {name} needs {' and '.join(missing)}: pip install 'oratory[track]'")
    return Tracker(name, None if runs is None else Path(runs), say or _warn, tell)


class Tracker:
    """Follows one run at a time."""

    def __init__(self, name: str, runs: Path | None, say: Callable[[str], None], tell: Callable[[str], None]) -> None:
        self.name, self.runs, self.say, self.tell = name, runs, say, tell
        self.book: Book | None = None
        self.run: Run | None = None
        self.note: dict[str, Any] = {}
        self.place = 0
        """Rows of the run so far, written or not."""
        self.waiting: list[MetricsRow] = []
        self.silent = False

    def __call__(self, event: Event) -> None:
        if not self.silent:
            self._try(lambda: self._follow(event))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self.book is not None:
            stopped = isinstance(error, Interrupted | KeyboardInterrupt)
            self._try(lambda: self._end("interrupted" if stopped else "failed"))

    def _follow(self, event: Event) -> None:
        if isinstance(event, Started):
            self._begin(event.run)
        elif isinstance(event, Ended):
            if event.again and _read(self._note_of(event.run)).get("ended"):
                return
            if self.book is None:
                self._begin(event.run)
            self.run = event.run
            self._end("finished")
        else:
            row = row_of(event)
            self._add(row)
            if "epoch" in row or len(self.waiting) >= MOST:
                self._write()

    def _begin(self, run: Run) -> None:
        """Open the book, and write the rows that it lacks."""
        if self.book is not None:  # of a run that broke off
            self._end("failed")
        module = import_module(f"oratory.exports.track.{self.name}")
        book: Book = module.Book()
        self.note = book.open(run, _read(self._note_of(run)), self.runs)
        self.book, self.run, self.place, self.waiting = book, run, 0, []
        self.tell(f"{self.name} has the losses, the evaluations, the settings and the result of this run: {book.place}")
        for row in run.metrics():
            self._add(row)
        self._write()

    def _add(self, row: MetricsRow) -> None:
        assert self.book is not None
        assert self.run is not None
        self.place += 1
        if self.place > self.note["rows"] and ("epoch" in row or row["step"] % self.book.every == 0):
            self.waiting.append(named(row, self.run.task))

    def _write(self) -> None:
        """Hand over what waits, and note that."""
        assert self.book is not None
        assert self.run is not None
        if self.waiting:
            self.book.write(self.waiting)
        self.waiting = []
        self.note["rows"] = max(self.place, self.note["rows"])
        write_text(self._note_of(self.run), json.dumps(self.note))

    def _end(self, how: str) -> None:
        assert self.book is not None
        assert self.run is not None
        self._write()
        book, self.book = self.book, None
        book.close(self.run, how)
        self.note["ended"] = how == "finished"
        write_text(self._note_of(self.run), json.dumps(self.note))

    def _note_of(self, run: Run) -> Path:
        return run.folder / self.name / NOTE

    def _try(self, action: Callable[[], None]) -> None:
        """A tracker must not stop a run, whatever happens to it."""
        try:
            action()
        except Exception as error:
            self.silent, self.book = True, None
            reason = " ".join(str(error).split()) or type(error).__name__
            self.say(f"{self.name} cannot be written any more, training goes on without it: {reason}")


def _read(path: Path) -> dict[str, Any]:
    """The note, as far as there is one."""
    with suppress(InputError, ValueError):
        note = json.loads(read_bytes(path))
        if isinstance(note, dict) and isinstance(note.get("rows"), int):
            return note
    return {"rows": 0}


def _warn(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")  # Where warnings are errors, this one would stop the run.
        warnings.warn(text, RuntimeWarning, stacklevel=2)
