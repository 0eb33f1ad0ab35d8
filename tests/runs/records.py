"""Records as training writes them, without the training."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from oratory.runs.record import FORMAT, RECORD, Record, identity_of
from oratory.runs.run import Run
from oratory.training.config import training_from
from oratory.training.tasks import Task, tasks

Given = Mapping[str, Any] | None

BASE: dict[str, Any] = {
    "vocabulary": 5755,
    "classes": 3,
    "layers": 4,
    "heads": 2,
    "kv_heads": None,
    "width": 64,
    "context": 32,
    "dropout": 0.0,
    "position": "learned",
    "pattern": "full",
    "merge": "concat",
    "pool": "mean",
    "norm": "layer",
    "feedforward": "relu",
    "init": "torch",
    "tied": False,
    "tokenizer": "word",
}


def training_of(task: Task) -> dict[str, Any]:
    """The settings of training that a record of a task has."""
    return task.recorded_training(training_from(task.train_config(), task.training, {}))


TRAINING = {name: training_of(task) for name, task in tasks().items()}
TOKENS = {"train": 20_000, "dev": 2000, "obama": 3000, "wbush": 1000}


def record(
    task: str = "classifier", seed: int = 0, given: Mapping[str, Any] | None = None, **changes: Any
) -> dict[str, Any]:
    """The record of a run whose figures follow from its seed."""
    settings = {"task": task, **BASE, **TRAINING[task], **(given or {})}
    key = identity_of(task, settings, "f00d", seed, 1, "0.1.0")
    facts: dict[str, Any] = {
        "format": FORMAT,
        "id": f"{task}-{key[:10]}",
        "key": key,
        "group": identity_of(task, settings, "f00d", None, 1, "0.1.0"),
        "task": task,
        "seed": seed,
        "status": "finished",
        "corpus": {"name": "speeches", "fingerprint": "f00d", "source": {"data": "speeches"}},
        "settings": settings,
        "given": {name: str(value) for name, value in (given or {}).items()},
        "parameters": {"total": 576_339},
        "created": f"2026-03-01T{seed % 24:02d}:00:00+00:00",
        "finished": "2026-03-02T00:00:00+00:00",
        "seconds": 20.0 + seed,
        "step": 500,
        "steps": 500,
        "stride": 16,
        "opening": 2,
        "passes": 7,
        "versions": {"oratory": "0.1.0"},
        "machine": {"threads": 2, "processes": 1},
        "result": classifier_result(seed) if task == "classifier" else language_result(seed),
        "files": {},
    }
    return facts | changes


def classifier_result(seed: int) -> dict[str, Any]:
    accuracy = (80 + seed % 10) / 100
    test = {"items": 750, "accuracy": accuracy, "loss": 1 - accuracy, "accuracy_seen": 0.95, "calibration_error": 0.1}
    test |= {"accuracy_unseen": accuracy / 2, "items_seen": 551}
    return {"train": test | {"accuracy": 1.0}, "dev": test | {"accuracy": 0.7}, "test": test}


def language_result(seed: int) -> dict[str, Any]:
    perplexities = {"train": 150.0, "dev": 300.0, "obama": 350.0 + seed, "wbush": 450.0 + seed}
    return {
        name: {
            "tokens": TOKENS[name],
            "perplexity": value,
            "perplexity_windows": value + 1,
            "perplexity_lines": value + 2,
            "bits_per_byte": 2.0,
        }
        for name, value in perplexities.items()
    }


def as_run(folder: Path, values: dict[str, Any]) -> Run:
    """The run that a record of plain values describes."""
    return Run(folder, Record.of_values(values, folder / RECORD))


def write(
    folder: Path, task: str = "classifier", seed: int = 0, given: Mapping[str, Any] | None = None, **changes: Any
) -> Run:
    """A run in a store's folder."""
    made = record(task, seed, given, **changes)
    return as_run(folder / made["id"], made).write()


def write_file(run: Run, name: str, content: bytes) -> Run:
    """A file of a run, with its checksum in the record."""
    (run.folder / name).write_bytes(content)
    return run.write(files={**run.record.files, name: hashlib.sha256(content).hexdigest()})


def write_many(folder: Path, count: int) -> None:
    """So many runs, ten seeds of each variant; not forced onto the disk one by one, which would take minutes."""
    for number in range(count):
        given = {"layers": 1 + number // 10 % 8, "train.lr": 1e-3 * (1 + number // 80)}
        made = record(("classifier", "lm")[number // 10 % 2], number % 10, given)
        path = folder / made["id"]
        path.mkdir(parents=True)
        (path / "run.json").write_text(json.dumps(made, indent=1))
