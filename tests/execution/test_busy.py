"""A hint where several threads are slower than one."""

from typing import Any

import pytest
import torch

import oratory as ora
from oratory.execution import busy, train
from oratory.runs import Started
from tests.execution.training import TASKS


def test_only_what_is_much_slower_is_worth_a_word() -> None:
    assert "2 threads an update takes 5.0 times as long" in busy.advice({1: 0.01, 2: 0.05})
    assert busy.advice({1: 0.01, 2: 0.012}) == ""
    assert busy.advice({1: 0.01}) == ""


def test_the_hint_changes_nothing_of_the_run(place: Any, runs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {name: value for name, value in TASKS["lm"].items() if name != "train.threads"}
    monkeypatch.setattr(train, "is_busy", lambda threads: True)
    monkeypatch.setattr(train, "advice", lambda seconds: f"timed with {sorted(seconds)}")
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        heard: list[Any] = []
        hinted = ora.train("lm", place / "corpus", settings, runs=runs, listen=heard.append)
        monkeypatch.setattr(train, "is_busy", lambda threads: False)
        plain = ora.train("lm", place / "corpus", settings, runs=runs / "other")
    finally:
        torch.set_num_threads(before)
    (started,) = [event for event in heard if isinstance(event, Started)]
    assert "timed with [1, 2]" in started.remarks
    assert hinted.record.machine.threads == 2
    assert (hinted.folder / "model.safetensors").read_bytes() == (plain.folder / "model.safetensors").read_bytes()
