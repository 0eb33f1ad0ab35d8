"""Runs that an earlier Oratory wrote stay readable, and are found again instead of being trained anew."""

import shutil
from pathlib import Path

import pytest

from oratory.execution.train import train
from oratory.reports.run import run_document
from oratory.runs import Ended, Event, Store
from tests.execution.training import TASKS, write_corpus

KEPT = Path(__file__).parent / "format-1"
RUNS = {"classifier": "classifier-cf49ecd3fb", "lm": "lm-17ede705c5"}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(shutil.copytree(KEPT, tmp_path / "runs"))


@pytest.mark.parametrize("task", RUNS)
def test_a_run_of_the_first_format_is_whole(store: Store, task: str) -> None:
    run = store.open(RUNS[task])
    assert run.verify() == []
    assert (run.task.name, run.seed, run.status, run.fingerprint) == (task, 3, "finished", "d0a4448f5cc05246")
    assert run.record.corpus.source == "folder(path=corpus)"
    assert {entry.id for entry in store.entries()} == set(RUNS.values())
    assert run_document(run).sections


def test_its_model_gives_what_it_gave(store: Store) -> None:
    [found] = store.open(RUNS["classifier"]).score("Yes, we can.")
    assert found.probabilities == pytest.approx({"0": 0.5408545732498169, "1": 0.4591454565525055}, abs=1e-6)
    [scored] = store.open(RUNS["lm"]).score("Yes, we can.")
    assert scored.perplexity == pytest.approx(93.75433735727245, rel=1e-5)
    assert scored.bits_per_byte == pytest.approx(2.5195436655128587, rel=1e-5)


@pytest.mark.parametrize("task", RUNS)
def test_the_same_run_is_found_and_not_trained_again(store: Store, tmp_path: Path, task: str) -> None:
    events: list[Event] = []
    run = train(task, write_corpus(tmp_path / "corpus"), TASKS[task], 3, runs=store.folder, listen=events.append)
    assert run.id == RUNS[task]
    assert [event.again for event in events if isinstance(event, Ended)] == [True]


@pytest.mark.parametrize("task", RUNS)
def test_training_gives_the_same_figures(store: Store, tmp_path: Path, task: str) -> None:
    run = train(task, write_corpus(tmp_path / "corpus"), TASKS[task], 3, runs=tmp_path / "new")
    before = store.open(RUNS[task])
    assert run.settings == before.settings
    assert run.result.keys() == before.result.keys()
    # To the bit on the processor that wrote the old runs; others round differently.
    found, wanted = ([line["loss"] for line in each.metrics() if "loss" in line] for each in (run, before))
    assert found == pytest.approx(wanted, rel=1e-4)
