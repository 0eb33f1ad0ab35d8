"""The store: all runs of a folder, with a catalogue that finds them at once."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from oratory.errors import InputError
from oratory.runs.catalogue import Catalogue, Entry
from oratory.runs.record import RECORD, Run

LOCK = ".lock"


def runs_folder(given: str | os.PathLike[str] | None = None) -> Path:
    """Where runs live: as given, or as ORATORY_RUNS says, or ./runs."""
    return Path(given or os.environ.get("ORATORY_RUNS") or "runs")


class Store:
    """The runs of one folder. Several processes may use it at once; a run belongs to one of them at a time."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = runs_folder(folder)

    @property
    def catalogue(self) -> Catalogue:
        """The catalogue of the folder."""
        return Catalogue(self.folder)

    def entries(self) -> list[Entry]:
        """What the catalogue knows of every run, the newest first."""
        return self.catalogue.entries()

    def open(self, name: str = "last") -> Run:
        """The run with this id, or whose id begins like this, or `last`: the newest one."""
        if name == "last":
            entries = self.entries()
            if not entries:
                raise InputError(f"There is no run in {self.folder} yet; oratory train makes one.")
            return Run.read(self.folder / entries[0].id)
        if self.has(name):
            return Run.read(self.folder / name)
        known = [entry.id for entry in self.entries()]
        found = [run for run in known if name and run.startswith(name)]
        if len(found) > 1:
            some = ", ".join(sorted(found)[:5])
            raise InputError(f"{name!r} begins the ids of {len(found)} runs: {some}; write more of it.")
        if not found:
            near = [run for run in known if name and name in run]
            some = ", ".join(near[:3] or known[:3])
            hint = f"; there are {len(known):,}, such as {some}" if known else "; there is none yet"
            raise InputError(f"There is no run {name!r} in {self.folder}{hint}. See: oratory runs list")
        return Run.read(self.folder / found[0])

    def has(self, name: str) -> bool:
        """Whether there is a run with exactly this id."""
        return bool(name) and Path(name).name == name and (self.folder / name / RECORD).is_file()

    def remove(self, run: Run) -> None:
        """Delete a run and all that it holds."""
        with self.hold(run.id):
            # The record goes first: what is left after an interruption is no run any more.
            (run.folder / RECORD).unlink()
            self.catalogue.drop(run.id)
        shutil.rmtree(run.folder, ignore_errors=True)

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """The run is this process's own meanwhile; the system lets go of it when the process ends in any way."""
        folder = self.folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / LOCK)
            lock.acquire(timeout=0)
        except Timeout:
            raise InputError(f"The run {name} is in use by another process; wait for it, or stop it.") from None
        except OSError as error:
            raise InputError(f"{folder} cannot be used: {error.strerror or error}.") from None
        try:
            yield
        finally:
            lock.release()

    def is_held(self, name: str) -> bool:
        """Whether a process is at work on a run."""
        try:
            with FileLock(self.folder / name / LOCK, timeout=0):
                return False
        except Timeout:
            return True
        except OSError:
            return False
