"""Jobs for workers, and workers that are killed while they train."""

import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from oratory.execution.jobs import Executor, Job, Outcome, Shared, Step, do
from oratory.text import Corpus
from tests.execution.training import LM, ends

SAVED = LM | {"train.iterations": "50", "train.eval_every": "25", "train.save_every": "0"}
"""A checkpoint after every step: writing them takes longer than the steps do."""
JOBS = (
    Job("base", "lm", SAVED, 0),
    Job("wrong", "lm", SAVED | {"position": "nowhere"}, 0),
    Job("base", "lm", SAVED, 1),
    Job("own", "lm", SAVED | {"position": "halved"}, 0),
)
ENDLESS = (
    Job("long", "lm", SAVED | {"train.iterations": "5000"}, 0),
    Job("long", "lm", SAVED | {"train.iterations": "5000"}, 1),
)
_PLUGIN = '''
import os
from dataclasses import dataclass
from pathlib import Path

import oratory
from oratory.mechanisms import Position

Path({notes!r}, str(os.getpid())).write_text(oratory.__file__)


@dataclass(frozen=True)
class Halved(Position):
    """Half of every score."""

    def score(self, scores, q, k, at):
        return scores / 2
'''


def here(jobs: Sequence[Job], shared: Shared) -> Iterator[Step | Outcome]:
    """Jobs one after the other, in this process."""
    for job in jobs:
        yield do(job, shared, lambda step: None)


def plugin(notes: Path) -> tuple[tuple[str, str], ...]:
    """A mechanism of one's own that notes which process loaded it, and whose Oratory that process has."""
    return (("halved.py", _PLUGIN.format(notes=str(notes))),)


@dataclass
class Ran:
    """What an executor said, and where the runs are."""

    runs: Path
    events: list[Step | Outcome] = field(default_factory=list)

    @property
    def outcomes(self) -> dict[tuple[str, int], Outcome]:
        return {(e.job.variant, e.job.seed): e for e in self.events if isinstance(e, Outcome)}

    def bytes_of(self, variant: str, seed: int) -> dict[str, bytes]:
        """What a run left."""
        outcome = self.outcomes[variant, seed]
        assert outcome.run, outcome.problem
        return ends(self.runs, outcome.run)

    def steps(self, job: Job) -> list[int]:
        """The steps of a job that were told; the first of each process always is."""
        return [event.step for event in self.events if isinstance(event, Step) and event.job == job]


def run(
    executor: Executor, jobs: Sequence[Job], corpus: Corpus, runs: Path, plugins: tuple[tuple[str, str], ...] = ()
) -> Ran:
    """All that an executor says of jobs."""
    return Ran(runs, list(executor(jobs, Shared(corpus, str(runs), plugins))))


class Killer(threading.Thread):
    """Kills the process of one run, as often as it is told to, each time when the run has made some steps."""

    def __init__(self, runs: Path, times: int = 1, steps: int = 8) -> None:
        super().__init__(daemon=True)
        self.runs, self.times, self.steps = runs, times, steps
        self.run_id = ""
        self.at: list[int] = []
        """The last step that was saved, each time."""
        self.pids: set[int] = set()
        self.start()

    def run(self) -> None:
        until = time.monotonic() + 400
        while len(self.at) < self.times and time.monotonic() < until:
            for folder in [*self.runs.glob(self.run_id or "lm-*"), *self.runs.glob(f"*/{self.run_id or 'lm-*'}")]:
                holder = holder_of(folder)
                if latest(folder) >= self.steps and holder and holder not in self.pids:
                    self.run_id = folder.name
                    self.pids.add(holder)
                    os.kill(holder, signal.SIGKILL)
                    while is_there(holder):
                        time.sleep(0.001)
                    self.at.append(latest(folder))
                    break
            time.sleep(0.005)


def latest(folder: Path) -> int:
    """The step of the last checkpoint of a run."""
    try:
        names = os.listdir(folder / "checkpoints")  # noqa: PTH208 (they come and go, which upsets a glob)
    except OSError:
        return -1
    return max((int(name[5:14]) for name in names if name.startswith("step-")), default=-1)


def holder_of(folder: Path) -> int | None:
    """The process that has the lock of a run."""
    lock = str(folder.resolve() / ".lock")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str(opened.readlink()) == lock for opened in (process / "fd").iterdir()):
                return int(process.name)
        except OSError:
            continue
    return None


def is_there(pid: int) -> bool:
    """Whether a process runs."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
