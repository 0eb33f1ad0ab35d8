"""Runs that an earlier Oratory wrote stay readable."""

import shutil
from pathlib import Path

import pytest

from oratory.execution.train import train
from oratory.reports.run import run_document
from oratory.runs import Store
from oratory.runs.record import ADDED, NOT_IDENTITY
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
    assert scored.bits_per_byte is None, "its tokenizer has not learned to spell"
    assert "Bits per byte are not known" in (scored.tables()[0].note or "")


@pytest.mark.parametrize("task", RUNS)
def test_an_earlier_version_is_not_taken_for_this_one(store: Store, tmp_path: Path, task: str) -> None:
    """What is chosen and measured can differ between versions, so the version is part of a run's name."""
    run = train(task, write_corpus(tmp_path / "corpus"), TASKS[task], 3, runs=store.folder)
    assert run.id != RUNS[task]
    assert store.open(RUNS[task]).verify() == []


def test_training_gives_the_same_figures(store: Store, tmp_path: Path) -> None:
    """The classifier had a dev that was carved from train, and a vocabulary without its words; this has changed."""
    run = train("lm", write_corpus(tmp_path / "corpus"), TASKS["lm"], 3, runs=tmp_path / "new")
    before = store.open(RUNS["lm"])
    deciding = {name: value for name, value in run.settings.items() if name not in NOT_IDENTITY}
    earlier = {name: value for name, value in before.settings.items() if name not in NOT_IDENTITY}
    assert deciding == {**{name: ADDED[name] for name in deciding if name in ADDED}, **earlier}
    assert run.result.keys() == before.result.keys()
    # To the bit on the processor that wrote the old runs; others round differently.
    found, wanted = ([line["loss"] for line in each.metrics() if "loss" in line] for each in (run, before))
    assert found == pytest.approx(wanted, rel=1e-4)
