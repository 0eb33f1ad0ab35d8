"""The figures of a run as trackers name them: loss, lr, accuracy/test, perplexity/obama."""

from typing import Any

from oratory.runs import Run
from oratory.training.events import Measured, Stepped
from oratory.training.tasks import Task

MetricsRow = dict[str, Any]
LOOP = ("step", "epoch", "train_loss")
"""What the loop writes into the line of an evaluation; the rest are figures of the task."""


def row_of(event: Stepped | Measured) -> MetricsRow:
    """What happened, as a line of the metrics."""
    if isinstance(event, Stepped):
        return {"step": event.step, "loss": event.loss, "norm": event.norm, "lr": event.lr}
    return {"step": event.step, "epoch": event.epoch, "train_loss": event.loss, **event.scores.row()}


def named(row: MetricsRow, task: Task) -> MetricsRow:
    """A line of the metrics with the names of trackers: the figure, then what it was measured on."""
    if "epoch" not in row:
        return {"step": row["step"], "loss": row["loss"], "lr": row["lr"], "gradient_norm": row["norm"]}
    found: MetricsRow = {"step": row["step"], "epoch": row["epoch"], "loss/train": row.get("train_loss")}
    found |= task.tracked({key: value for key, value in row.items() if key not in LOOP})
    return {name: value for name, value in found.items() if value is not None}


def final(run: Run) -> dict[str, float]:
    """Every single number of the result of a finished run."""
    return {
        f"final/{figure}/{name}": float(value)
        for name, figures in run.result.items()
        for figure, value in figures.items()
        if isinstance(value, int | float)
    }


def labels(run: Run) -> dict[str, str]:
    """What a run is found by."""
    return {"run": run.id, "task": run.task.name, "corpus": run.record.corpus.name, "seed": str(run.seed)}
