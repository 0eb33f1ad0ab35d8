"""How far runs are, as their folders say: whoever trains them, from the page or from a terminal."""

from dataclasses import asdict, dataclass
from typing import Any

from oratory.errors import InputError
from oratory.runs import Run, Store
from oratory.runs.lines import last_lines
from oratory.runs.record import METRICS
from oratory.web.job import DONE, Job

WAITS = "waits"


@dataclass(frozen=True)
class Progress:
    """One run on its way."""

    run: str
    status: str
    seed: int | None = None
    step: int = 0
    steps: int | None = None
    loss: float | None = None

    @property
    def share(self) -> float:
        """From 0 to 1."""
        if self.status == "finished":
            return 1.0
        return min(1.0, self.step / self.steps) if self.steps else 0.0

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "share": self.share}


def progress_of(store: Store, name: str) -> Progress:
    """How far a run is; one that has not begun waits."""
    try:
        if not store.has(name):
            return Progress(name, WAITS)
        run = store.current(Run.read(store.folder / name))
    except InputError:
        return Progress(name, "damaged")
    record = run.record
    last = last_lines(run.folder / METRICS) if run.status != "finished" else ()
    step = max([run.step, *(entry["step"] for entry in last)])
    losses = [entry["loss"] for entry in last if isinstance(entry.get("loss"), float)]
    return Progress(name, run.status, run.seed, step, record.steps, losses[-1] if losses else None)


def job_progress(store: Store, job: Job) -> dict[str, Any]:
    """A job with all of its runs."""
    runs = [progress_of(store, name) for name in job.runs]
    share = job.done / job.total if job.total > 1 else sum(run.share for run in runs)
    return {
        "id": job.id,
        "title": job.title,
        "state": job.state,
        "message": job.message,
        "created": job.created,
        "words": list(job.words),
        "can_continue": job.can_continue,
        "under_way": job.under_way,
        "share": 1.0 if job.state == DONE else share,
        "done": job.done,
        "total": job.total,
        "runs": [run.to_dict() for run in runs],
    }
