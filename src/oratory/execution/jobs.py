"""One run as a job that any process can do, and the interface of executors, which get many jobs done."""

import os
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from oratory.errors import Failed, InputError
from oratory.files import cache_folder, digest, write_text
from oratory.runs import Interrupted
from oratory.text import Corpus


@dataclass(frozen=True)
class Job:
    """A run to be trained."""

    variant: str
    task: str
    settings: dict[str, str]
    seed: int


@dataclass(frozen=True)
class Shared:
    """What all jobs share; every worker gets it once."""

    corpus: Corpus
    runs: str
    plugins: tuple[tuple[str, str], ...] = ()
    """Files of mechanisms: where they are, and their content."""


@dataclass(frozen=True)
class Step:
    """A job is being worked on."""

    job: Job
    step: int
    steps: int


@dataclass(frozen=True)
class Outcome:
    """A job is done: its run, or the reason why there is none."""

    job: Job
    run: str | None
    problem: str = ""
    reused: bool = False
    in_use: bool = False
    """Whether another process is training the run; it may be free later."""
    diverged: bool = False
    """Whether training diverged, so that trying again is of no use."""


@dataclass(frozen=True)
class JobsPlanned:
    """Jobs that will be worked on, before the first begins."""

    jobs: tuple[Job, ...]


class Executor(Protocol):
    """Gets jobs done, in any order, and yields what happens."""

    def __call__(self, jobs: Sequence[Job], shared: Shared) -> Iterator[Step | Outcome]: ...


def work_through(
    jobs: Sequence[Job], shared: Shared, executor: Executor, tell: Callable[[Any], None]
) -> dict[tuple[str, int], Outcome]:
    """The outcome of every job, by variant and seed. Everything that happens is told."""
    found: dict[tuple[str, int], Outcome] = {}
    tell(JobsPlanned(tuple(jobs)))
    try:
        for event in executor(jobs, shared) if jobs else ():
            tell(event)
            if isinstance(event, Outcome):
                found[event.job.variant, event.job.seed] = event
    except KeyboardInterrupt:
        raise Interrupted("Stopped, and every run was saved. The same command continues from there.") from None
    return found


AnyPlugin = str | os.PathLike[str] | type
"""A file with mechanisms, or the class of one that was written in a notebook."""


def load_plugins(given: Sequence[AnyPlugin]) -> tuple[tuple[str, str], ...]:
    """Add the mechanisms of users' own files; returns where each file is and its content, for workers.

    A class becomes a file, with its source and what that needs, so that a run keeps it as it keeps any plugin.
    """
    from oratory.mechanisms import REGISTRY
    from oratory.mechanisms.plugins import plugin_of

    paths = [_file_of(each) if isinstance(each, type) else Path(each) for each in given]
    found = [plugin_of(REGISTRY.load_plugin(path)[0]) for path in paths]
    return tuple((str(plugin.path), plugin.content.decode()) for plugin in found if plugin is not None)


def _file_of(mechanism: type) -> Path:
    """The file of a class. It has one place for each name, so that a changed class takes the place of the old one."""
    from oratory.mechanisms.cells import source_of

    path = cache_folder() / "cells" / f"{mechanism.__name__.lower()}.py"
    write_text(path, source_of(mechanism))
    return path


def prepare_worker(shared: Shared) -> None:
    """Make a process ready for jobs: load the users' own mechanisms.

    A worker on another machine does not see the file, and one here may find it changed: both get a copy.
    """
    from oratory.mechanisms import REGISTRY

    for name, content in shared.plugins:
        path = cache_folder() / "plugins" / digest(content.encode())[:16] / Path(name).name
        write_text(path, content)
        REGISTRY.load_plugin(path, known_as=Path(name))


def do(job: Job, shared: Shared, tell: Callable[[Step], None]) -> Outcome:
    """Train the job's run, or continue it, or find it finished. A failure is part of the outcome."""
    from oratory.execution.train import train
    from oratory.runs import Ended, Event, InUseError, Started
    from oratory.runs.events import RunDiverged
    from oratory.training.events import Stepped

    steps = 0
    reused = False

    def listen(event: Event) -> None:
        nonlocal steps, reused
        if isinstance(event, Started):
            steps = event.steps
            tell(Step(job, event.step, steps))
        elif isinstance(event, Stepped):
            tell(Step(job, event.step, steps))
        elif isinstance(event, Ended):
            reused = event.again

    try:
        run = train(job.task, shared.corpus, job.settings, job.seed, runs=shared.runs, listen=listen)
    except Exception as error:  # what a hook of a user's own raises would be raised again by the next process
        diverged = isinstance(error, RunDiverged)
        return Outcome(job, None, what_failed(error), in_use=isinstance(error, InUseError), diverged=diverged)
    return Outcome(job, run.id, reused=reused)


def what_failed(error: Exception) -> str:
    """An error as a sentence: whose code raised it, and where."""
    from oratory.mechanisms.plugins import blame

    if isinstance(error, InputError | Failed):
        return str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return blame(error) or f"{type(error).__name__}: {error} ({frame.filename}, line {frame.lineno})"
