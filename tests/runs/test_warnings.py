"""A run says that training made it worse, but not where one figure of several fell by chance."""

from typing import Any

import pytest

import oratory as ora
from oratory.runs import Run
from oratory.training.tasks.results import Curve
from tests.execution.training import TASKS

CURVES = [
    Curve("train", "accuracy, %", lambda entry: float(entry["train"])),
    Curve("test", "accuracy, %", lambda entry: float(entry["test"])),
]


@pytest.mark.slow
@pytest.mark.parametrize(("train", "test", "said"), [(60, 60, 0), (60, 40, 0), (50, 40, 0), (40, 40, 1)])
def test_all_figures_must_fall(place: Any, runs: Any, monkeypatch: Any, train: int, test: int, said: int) -> None:
    run = ora.train("classifier", place / "corpus", TASKS["classifier"], runs=runs)
    monkeypatch.setattr(Run, "history", lambda self: [{"train": 50, "test": 50}, {"train": train, "test": test}])
    monkeypatch.setattr(type(run.task.results), "curves", lambda self, history: CURVES)
    warnings = run.warnings()
    assert len(warnings) == said
    if said:
        assert "its accuracy on train was 50.0% before, and is 40.0% after it." in warnings[0]
