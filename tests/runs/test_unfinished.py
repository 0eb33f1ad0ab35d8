"""A run that is not finished can be looked at: what it says is that of its last checkpoint, and it is said so."""

from pathlib import Path
from typing import Any

import pytest

import oratory as ora
from oratory.cli import _common as common
from oratory.errors import InputError
from oratory.exports.onnx import export_onnx
from oratory.model import Transformer
from oratory.runs import Ended, Event, Run, Started, Store
from oratory.runs.checkpoint import read_checkpoint
from tests.execution.training import TASKS

pytestmark = pytest.mark.slow


def stopped(task: str, place: Path, runs: Path, at: int) -> Run:
    """A run whose process ended after so many events, with a checkpoint behind each of them."""
    calls = 0

    def stop(event: Event) -> None:
        nonlocal calls
        calls += not isinstance(event, Started | Ended)
        if calls > at:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ora.train(task, place / "corpus", TASKS[task] | {"train.save_every": "0"}, runs=runs, listen=stop)
    return ora.load_run("last", runs)


def test_the_model_is_that_of_the_last_checkpoint(place: Any, runs: Any) -> None:
    run = stopped("lm", place, runs, 4)
    newest = read_checkpoint(sorted((run.folder / "checkpoints").glob("step-*"))[-1])
    assert run.status == "interrupted"
    assert (
        f"is not finished (interrupted): this is its last checkpoint, of step {newest.facts['step']}" in run.unfinished
    )
    model = Transformer(run.config, run.seed).eval()
    model.load_state_dict(newest.model)
    for name, value in run.model.state_dict().items():
        assert value.equal(model.state_dict()[name])
    assert run.generate("the", 3)
    assert len(run.score("the people")) == 1


def test_what_is_printed_says_so(place: Any, runs: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run = stopped("classifier", place, runs, 3)
    assert common.load_run(run.id, runs).unfinished in capsys.readouterr().err
    assert common.with_state(run, {})["unfinished"] == run.unfinished
    (page,) = ora.report(run, runs / "so-far.html")
    assert "Nothing here is a result" in page.read_text()
    with pytest.raises(InputError, match="is not finished"):
        export_onnx(run, runs / "model.onnx")


def test_a_run_without_a_checkpoint_says_so(place: Any, runs: Any) -> None:
    run = stopped("classifier", place, runs, 0)
    with pytest.raises(InputError, match="has no checkpoint yet"):
        run.load_model()


def test_last_is_a_run_that_can_be_used(place: Any, runs: Any) -> None:
    begun = stopped("classifier", place, runs, 3)
    stopped("lm", place, runs, 0)
    assert Store(runs).usable() == begun.id
    finished = ora.train("classifier", place / "corpus", TASKS["classifier"], 1, runs=runs)
    assert Store(runs).usable() == finished.id
    assert finished.unfinished == ""
