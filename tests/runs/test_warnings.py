"""A run says that training made it worse, but not where one figure of several fell by chance."""

from typing import Any

import pytest

import oratory as ora
from oratory.runs import Run
from tests.execution.training import TASKS


@pytest.mark.slow
@pytest.mark.parametrize(("fallen", "said"), [((), 0), (("test.unseen",), 0), (("train", "test"), 1)])
def test_all_figures_must_fall(place: Any, runs: Any, monkeypatch: Any, fallen: Any, said: int) -> None:
    run = ora.train("classifier", place / "corpus", TASKS["classifier"], runs=runs)
    first = run.history()[0]
    before = {key: 0.5 if isinstance(value, float) else value for key, value in first.items()}
    after = {key: 0.6 if isinstance(value, float) else value for key, value in first.items()}
    after |= {key: 0.4 for key in after if isinstance(after[key], float) and key.startswith(fallen)} if fallen else {}
    monkeypatch.setattr(Run, "history", lambda self: [before, after])
    assert len(run.warnings()) == said
    if said:
        assert "was 50.0% before, and is 40.0% after it" in run.warnings()[0]
