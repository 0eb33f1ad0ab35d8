"""The store: all runs of a folder, with a catalogue that finds them at once."""

import os
import secrets
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from oratory.errors import InputError, did_you_mean
from oratory.files import check_folder
from oratory.ids import is_id
from oratory.runs.catalogue import Catalogue
from oratory.runs.entry import Entry
from oratory.runs.record import CHECKPOINTS, RECORD
from oratory.runs.run import Run
from oratory.text.normal import one_line

LOCK = ".lock"
REMOVED = ".removed-"
PATIENCE = 0.5
"""Seconds to wait for processes that hold a run only to see whether it is in use."""


class InUseError(InputError):
    """Another process has the run."""


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
        return [
            replace(entry, status="interrupted") if entry.status == "running" and not self.is_held(entry.id) else entry
            for entry in self.catalogue.entries()
        ]

    def open(self, name: str = "last") -> Run:
        """The run with this id, or whose id begins like this, or `last`: the newest one."""
        return Run.read(self.folder / self.find(name)).check()

    def find(self, name: str) -> str:
        """The whole id of the run that `open` would open, even where its record cannot be read."""
        if name != "last" and self.has(name):
            return name
        known = [entry.id for entry in self.entries()]
        if name == "last":
            if not known:
                raise InputError(f"There is no run in {self.folder} yet; oratory train makes one.")
            return known[0]
        found = self.called(name) or (self.matching(name) if name else [])
        if len(found) > 1:
            some = ", ".join(sorted(found)[:5])
            raise InputError(f"{name!r} begins the ids of {len(found)} runs: {some}; write more of it.")
        if not found:
            near = [run for run in known if name and name in run]
            some = ", ".join(near[:3] or known[:3])
            hint = f"; there are {len(known):,}, such as {some}" if known else "; there is none yet"
            question = did_you_mean(name, ["last", *(entry.name for entry in self.entries() if entry.name), *known])
            raise InputError(f"There is no run {name!r} in {self.folder}{hint}.{question} See: oratory runs list")
        return found[0]

    def usable(self) -> str:
        """The newest run that is finished; else the newest that has a checkpoint; else the newest of all."""
        entries = self.entries()
        finished = [entry.id for entry in entries if entry.status == "finished"]
        begun = [entry.id for entry in entries if any((self.folder / entry.id / CHECKPOINTS).glob("step-*"))]
        return (finished or begun or [self.find("last")])[0]

    def called(self, name: str) -> list[str]:
        """The ids of the runs that the user calls so."""
        return [entry.id for entry in self.entries() if name and entry.name == name]

    def annotate(
        self,
        name: str,
        *,
        called: str | None = None,
        note: str | None = None,
        tags: Iterable[str] = (),
        without: Iterable[str] = (),
    ) -> Run:
        """Give a run a name, a note or tags, or take tags away; an empty name or note takes it away.

        The run stays the same run: neither its id nor its result depends on any of these.
        """
        run = self.open(name)
        new, gone = list(tags), list(without)
        for word in (*new, *([called] if called else [])):
            if not is_id(word) or word == "last":
                raise InputError(f"{word!r} is no name or tag; write letters, digits and dashes.")
        others = [other for other in (*self.called(called or ""), *self.matching(called or "-")) if other != run.id]
        if called and others:
            raise InputError(f"{called!r} is the name of the run {others[0]}, or begins its id; choose another name.")
        missing = next((tag for tag in gone if tag not in run.record.tags), None)
        if missing is not None:
            raise InputError(f"The run {run.id} has no tag {missing!r}: {', '.join(run.record.tags) or 'it has none'}.")
        kept = tuple(tag for tag in dict.fromkeys((*run.record.tags, *new)) if tag not in gone)
        with self.hold(run.id):
            run = Run.read(run.folder).write(
                name=run.record.name if called is None else called,
                note=run.record.note if note is None else one_line(note),
                tags=kept,
            )
        self.catalogue.put(run)
        return run

    def matching(self, name: str) -> list[str]:
        """The ids that begin like this."""
        return [entry.id for entry in self.entries() if entry.id.startswith(name)]

    def current(self, run: Run) -> Run:
        """The run with its present status: `interrupted` if it was running and no process works on it any more."""
        if run.status != "running" or self.is_held(run.folder.name):
            return run
        return Run(run.folder, run.record.changed(status="interrupted"))

    def has(self, name: str) -> bool:
        """Whether there is a run with exactly this id."""
        try:
            return is_id(name) and (self.folder / name / RECORD).is_file()
        except PermissionError:
            return True  # Somebody else's; reading it says so.

    def verify(self, name: str) -> list[str]:
        """A sentence for everything that is wrong with a run, its record included."""
        try:
            return Run.read(self.folder / name).check().verify()
        except InputError as error:
            return [str(error)]

    def remove(self, name: str) -> None:
        """Delete a run and all its files."""
        with self.hold(name):
            # It goes in one step: what is left after an interruption is hidden, and no run any more.
            hidden = self.folder / f"{REMOVED}{name}-{secrets.token_hex(4)}"
            (self.folder / name).rename(hidden)
        self.catalogue.drop(name)
        for left in self.folder.glob(f"{REMOVED}*"):
            left.unlink() if left.is_symlink() else shutil.rmtree(left, ignore_errors=True)

    def check_room(self, size: int) -> None:
        """Refuse a folder that cannot be written to, or that has no room for so many bytes. Nothing is written."""
        free = shutil.disk_usage(check_folder(self.folder)).free
        if free < size:
            raise InputError(
                f"These runs need at least {size / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are left where {self.folder} "
                "is; make room, or name another folder with --runs."
            )

    @contextmanager
    def hold(self, name: str) -> Iterator[None]:
        """The run is this process's own meanwhile; the system lets go of it when the process ends in any way."""
        folder = self.folder / name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / LOCK)
            lock.acquire(timeout=PATIENCE)
        except Timeout:
            raise InUseError(f"The run {name} is in use by another process; wait for it, or stop it.") from None
        except OSError as error:
            raise InputError(f"{folder} cannot be used: {error.strerror or error}.") from None
        try:
            yield
        finally:
            lock.release()

    def is_held(self, name: str) -> bool:
        """Whether a process is at work on a run."""
        lock = self.folder / name / LOCK
        if not lock.exists():  # Looking must not make it.
            return False
        try:
            with FileLock(lock, timeout=0):
                return False
        except Timeout:
            return True
        except OSError:
            return False
