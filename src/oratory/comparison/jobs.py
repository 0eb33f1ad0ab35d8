"""One run as a job that any process can do, and the small interface of whoever gets jobs done."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from oratory.errors import Failed, InputError
from oratory.files import digest, write_text
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
    """What all jobs have in common, and reaches every worker once."""

    corpus: Corpus
    runs: str
    plugins: tuple[tuple[str, str], ...] = ()
    """Files of mechanisms: their names and what is in them."""


@dataclass(frozen=True)
class Step:
    """A job is under way."""

    job: Job
    step: int
    steps: int


@dataclass(frozen=True)
class Outcome:
    """A job is done: the run, or why there is none."""

    job: Job
    run: str | None
    problem: str = ""
    reused: bool = False
    in_use: bool = False
    """Another process has the run; it may be free later."""


class Executor(Protocol):
    """Gets jobs done, in any order, and says what happens."""

    def __call__(self, jobs: Sequence[Job], shared: Shared) -> Iterator[Step | Outcome]: ...


def read_plugins(paths: Sequence[str | os.PathLike[str]]) -> tuple[tuple[str, str], ...]:
    """Files of mechanisms, as workers get them."""
    return tuple((path.name, path.read_text(encoding="utf-8")) for path in map(Path, paths))


def prepare_worker(shared: Shared) -> None:
    """Make a process ready for jobs: load the mechanisms of users' own."""
    from oratory.mechanisms import REGISTRY

    for name, content in shared.plugins:
        path = cache_folder() / "plugins" / digest(content.encode())[:16] / name
        write_text(path, content)
        REGISTRY.load_plugin(path)


def do(job: Job, shared: Shared, tell: Callable[[Step], None]) -> Outcome:
    """Train the job's run, or go on with it, or find it finished. What goes wrong with it is part of the outcome."""
    from oratory.runs import Ended, Event, InUseError, Started, train
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
        return Outcome(job, None, str(error), in_use=isinstance(error, InUseError))
    return Outcome(job, run.id, reused=reused)
