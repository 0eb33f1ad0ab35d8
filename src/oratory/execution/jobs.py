"""One run as a job that any process can do, and the interface of executors, which get many jobs done."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from oratory.errors import Failed, InputError
from oratory.files import digest, write_text
from oratory.runs import Interrupted
from oratory.text import Corpus
from oratory.tokens.corpus import cache_folder


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
class Planned:
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
    tell(Planned(tuple(jobs)))
    try:
        for event in executor(jobs, shared) if jobs else ():
            tell(event)
            if isinstance(event, Outcome):
                found[event.job.variant, event.job.seed] = event
    except KeyboardInterrupt:
        raise Interrupted("Stopped, and every run was saved. The same command continues from there.") from None
    return found


def read_plugins(paths: Sequence[str | os.PathLike[str]]) -> tuple[tuple[str, str], ...]:
    """Files of mechanisms, as workers get them."""
    return tuple((str(path.resolve()), path.read_text(encoding="utf-8")) for path in map(Path, paths))


def prepare_worker(shared: Shared) -> None:
    """Make a process ready for jobs: load the users' own mechanisms.

    A worker on another machine does not see the file, and one here may find it changed: both get a copy.
    """
    from oratory.mechanisms import REGISTRY

    for name, content in shared.plugins:
        path = cache_folder() / "plugins" / digest(content.encode())[:16] / Path(name).name
        write_text(path, content)
        REGISTRY.load_plugin(path)


def do(job: Job, shared: Shared, tell: Callable[[Step], None]) -> Outcome:
    """Train the job's run, or continue it, or find it finished. A failure is part of the outcome."""
    from oratory.execution.train import train
    from oratory.runs import Ended, Event, InUseError, Started
    from oratory.runs.events import RunDiverged
    from oratory.training.loop import Stepped

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
    except (InputError, Failed) as error:
        diverged = isinstance(error, RunDiverged)
        return Outcome(job, None, str(error), in_use=isinstance(error, InUseError), diverged=diverged)
    return Outcome(job, run.id, reused=reused)
