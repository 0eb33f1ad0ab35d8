"""Runs from Python, with the report at hand."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oratory.inspect import Maps, attend
from oratory.report import write_report
from oratory.report.run import run_document
from oratory.runs import Listener, Run, Store
from oratory.runs import train as train_run
from oratory.runs.execute import finetune as finetune_run
from oratory.text import Corpus


class TrainedRun(Run):
    """A run that shows what it attends to, and can write a report about itself."""

    @classmethod
    def of(cls, run: Run) -> "TrainedRun":
        """The same run."""
        return cls(run.folder, run.record)

    def attend(self, text: str, **options: Any) -> Maps:
        """The attention maps of a text, with their sanity checks; `options` are those of `oratory.attend`."""
        return attend(self, text, **options)

    def report(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write a report; the suffix says what kind, and a folder gets all of them."""
        return write_report(run_document(self), path)


def train(
    task: str,
    corpus: Corpus | str | os.PathLike[str] = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: str | os.PathLike[str] | None = None,
    listen: Listener | None = None,
) -> TrainedRun:
    """Train a model and keep its record; the same call again goes on with a run that was stopped.

    train("lm", "sotu", {"position": "rope", "train.lr": 3e-4}, seed=1)
    """
    return TrainedRun.of(train_run(task, corpus, settings, seed, runs=runs, listen=listen))


def finetune(
    model: str | os.PathLike[str] = "minilm",
    corpus: Corpus | str | os.PathLike[str] = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: str | os.PathLike[str] | None = None,
    listen: Listener | None = None,
) -> TrainedRun:
    """Fine-tune a published encoder: `minilm`, a folder, or the name of a model on the hub."""
    return TrainedRun.of(finetune_run(model, corpus, settings, seed, runs=runs, listen=listen))


def load_run(name: str = "last", runs: str | os.PathLike[str] | None = None) -> TrainedRun:
    """The run with this id, or whose id begins like this, or the newest one."""
    return TrainedRun.of(Store(runs).open(name))
