"""Jobs in the workers of Ray, which may be on machines that do not see the folder of runs."""

import os
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oratory.execution.jobs import Job, Outcome, Shared, Step, do, prepare_worker, what_failed
from oratory.files import exists, write_bytes
from oratory.ids import key_of

TELL = 1.0
"""Seconds between two steps that a worker tells of: there may be thousands of workers."""


@dataclass(frozen=True)
class WorkOrder:
    """What reaches every worker once."""

    shared: Shared
    token: str
    """A file in the folder of runs: who finds it sees the folder."""
    finished: frozenset[str]
    """Runs that need no training; those who do not see the folder cannot know."""


@dataclass(frozen=True)
class TrainedFiles:
    """The files of a run that was trained where the store is not seen."""

    run: str
    files: dict[str, bytes]


class ReportedSteps:
    """The steps that the workers reported, until they are taken."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int, int]] = []

    def add(self, number: int, step: int, steps: int) -> None:
        self.steps.append((number, step, steps))

    def take(self) -> list[tuple[int, int, int]]:
        taken, self.steps = self.steps, []
        return taken


def work(job: Job, number: int, order: WorkOrder, progress: Any) -> tuple[Outcome, TrainedFiles | None]:
    """Do a job, in a worker."""
    import torch

    torch.set_num_threads(1)
    told = 0.0

    def tell(step: Step) -> None:
        nonlocal told
        if not told or time.monotonic() - told >= TELL:
            told = time.monotonic()
            progress.add.remote(number, step.step, step.steps)  # Not waited for.

    try:
        _prepare(order.shared)
    except Exception as error:  # a user's file may do anything
        return Outcome(job, None, what_failed(error)), None
    folder = Path(order.shared.runs)
    if exists(folder / order.token) and os.access(folder, os.W_OK):
        return do(job, order.shared, tell), None
    return _do_apart(job, order, tell)


_PREPARED: set[tuple[tuple[str, str], ...]] = set()
"""Plugins that this process has loaded; it does many jobs."""


def _prepare(shared: Shared) -> None:
    if shared.plugins not in _PREPARED:
        prepare_worker(shared)
        _PREPARED.add(shared.plugins)


class _InStore(BaseException):
    """The store has this run. That is no error of the job, and nothing on the way is to take it for one."""


def _do_apart(job: Job, order: WorkOrder, tell: Callable[[Step], None]) -> tuple[Outcome, TrainedFiles | None]:
    """Do a job in a folder of this machine, which is the same when the job is begun again here."""
    from oratory.runs import Store

    store = Store(_own_folder(job, order.shared))

    def tell_of_new(step: Step) -> None:
        (run,) = store.entries()
        if run.id in order.finished:
            raise _InStore(run.id)
        tell(step)

    try:
        outcome = do(job, Shared(order.shared.corpus, str(store.folder), order.shared.plugins), tell_of_new)
    except _InStore as error:
        shutil.rmtree(store.folder, ignore_errors=True)
        return Outcome(job, str(error), reused=True), None
    parcel = None
    for entry in store.entries():
        if entry.status in ("finished", "diverged"):
            parcel = TrainedFiles(entry.id, _files(store.folder / entry.id))
            shutil.rmtree(store.folder, ignore_errors=True)
    return (Outcome(job, outcome.run, outcome.problem) if outcome.reused else outcome), parcel


def _own_folder(job: Job, shared: Shared) -> Path:
    from oratory import __version__
    from oratory.files import cache_folder

    described = [job.task, job.settings, job.seed, shared.corpus.fingerprint, shared.plugins, __version__]
    return cache_folder() / "ray" / key_of(described)[:16]


def _files(folder: Path) -> dict[str, bytes]:
    """What a run holds, without hidden files such as its lock."""
    found = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {
        name.as_posix(): path.read_bytes()
        for name, path in found.items()
        if not any(part.startswith(".") for part in name.parts)
    }


def receive(parcel: TrainedFiles, runs: str) -> None:
    """Write a run into the store; its record comes last, and what was begun here before makes way."""
    from oratory.runs import Run, Store
    from oratory.runs.record import RECORD
    from oratory.runs.store import LOCK

    store = Store(runs)
    folder = store.folder / parcel.run
    with store.hold(parcel.run):
        for left in folder.iterdir():
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left)
            elif left.name != LOCK:
                left.unlink()
        for name in sorted(parcel.files, key=lambda name: name == RECORD):
            write_bytes(folder / name, parcel.files[name])
    store.catalogue.put(Run.read(folder))
