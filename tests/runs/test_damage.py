"""Damaged runs: every file is checked when it is read, and every value of the record."""

import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from oratory.api import report
from oratory.errors import InputError
from oratory.execution.train import train
from oratory.reports.run import run_document
from oratory.runs import Run, Store
from oratory.runs.record import ITEMS, METRICS, MODEL, RECORD, TIMES, TOKENIZER
from tests.execution.training import TASKS, quick, write_corpus
from tests.runs.records import write, write_file
from tests.runs.wrong import WRONG

READERS: dict[str, Callable[[Run], Any]] = {
    MODEL: lambda run: run.score("Yes, we can."),
    TOKENIZER: lambda run: run.score("Yes, we can."),
    METRICS: lambda run: run_document(run),
    TIMES: lambda run: run.to_dict(),
    ITEMS: lambda run: run.items(),
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run of each task."""
    place = quick(tmp_path_factory.mktemp("trained"))
    corpus = write_corpus(place / "corpus")
    for task, settings in TASKS.items():
        train(task, corpus, settings, runs=place / "runs")
    yield place / "runs"
    shutil.rmtree(place)


@pytest.fixture
def store(trained: Path, tmp_path: Path) -> Store:
    return Store(shutil.copytree(trained, tmp_path / "runs"))


def flip(path: Path, share: float) -> None:
    """Another bit at a place in a file."""
    content = bytearray(path.read_bytes())
    content[int(share * len(content))] ^= 4
    path.write_bytes(content)


def of(store: Store, task: str) -> str:
    return next(entry.id for entry in store.entries() if entry.task == task)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_flipped_bit_is_seen_when_the_file_is_read(store: Store, task: str, name: str, share: float) -> None:
    run = store.open(of(store, task))
    READERS[name](run)
    flip(run.folder / name, share)
    run = store.open(run.id)
    with pytest.raises(InputError, match=f"{name} was changed or damaged.*oratory runs rm {run.id}"):
        READERS[name](run)
    assert [name in sentence for sentence in run.verify()] == [True]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("name", [ITEMS, TOKENIZER])
def test_no_report_is_made_of_damaged_files(store: Store, tmp_path: Path, task: str, name: str) -> None:
    run = store.open(of(store, task))
    flip(run.folder / name, 0.5)
    with pytest.raises(InputError, match=f"{name} was changed or damaged"):
        report(run.id, tmp_path / "r.html", store.folder)
    assert not (tmp_path / "r.html").exists()


def test_a_report_says_that_the_corpus_has_changed(store: Store, tmp_path: Path) -> None:
    path, values = record_of(store, "classifier")
    values["corpus"]["fingerprint"] = "f00d"
    path.write_text(json.dumps(values))
    report(path.parent.name, tmp_path / "r.md", store.folder)
    said = (tmp_path / "r.md").read_text()
    assert "The baselines are not shown. The corpus corpus is no longer the one" in said


def test_a_file_that_is_gone(store: Store) -> None:
    run = store.open(of(store, "lm"))
    for name, read in READERS.items():
        (run.folder / name).rename(run.folder / "away")
        with pytest.raises(InputError, match=f"{name} does not exist. oratory runs verify"):
            read(Run.read(run.folder))
        (run.folder / "away").rename(run.folder / name)


def test_no_flipped_bit_of_the_record_changes_it_unseen(store: Store) -> None:
    run = store.open(of(store, "classifier"))
    path = run.folder / RECORD
    whole = path.read_bytes()
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :])
        with suppress(InputError):
            assert store.open(run.id).record.changed(facts={}) == run.record.changed(facts={})


def record_of(store: Store, task: str) -> tuple[Path, dict[str, Any]]:
    """The path of a record and its values, without the checksum."""
    path = store.folder / of(store, task) / RECORD
    values = json.loads(path.read_text())
    del values["digest"]
    return path, values


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_value_is_named_wherever_the_record_is_read(store: Store, tmp_path: Path, case: str) -> None:
    change, said = WRONG[case]
    path, values = record_of(store, "classifier")
    change(values)
    path.write_text(json.dumps(values))
    name = path.parent.name
    with pytest.raises(InputError, match=f"{RECORD} is damaged: {said}.*oratory runs rm removes it"):
        store.open(name)
    with pytest.raises(InputError, match=said):
        report(name, tmp_path / "r.html", store.folder)
    assert [sentence.startswith(f"{path} is damaged") for sentence in store.verify(name)] == [True]
    store.catalogue.rebuild()
    others = ["finished"] * (len(TASKS) - 1)
    assert sorted(entry.status for entry in store.entries()) == ["damaged", *others]


@pytest.mark.parametrize(
    "change",
    [
        lambda result: result.update(test={}),
        lambda result: result["test"].pop("items"),
        lambda result: result["test"].pop("loss"),
        lambda result: result["test"].pop("calibration_error"),
    ],
)
def test_a_result_of_another_form(store: Store, change: Callable[[dict[str, Any]], Any]) -> None:
    path, values = record_of(store, "classifier")
    change(values["result"])
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match=f"The result in {path} is damaged: "):
        store.open(path.parent.name)


@pytest.mark.parametrize(
    ("task", "name", "value", "said"),
    [
        ("lm", "stride", "x", "stride must be a whole number, not 'x'"),
        ("lm", "stride", [], "stride must be a whole number"),
        ("lm", "stride", 0, "stride must be from 1 to 8, not 0"),
        ("lm", "stride", -1, "stride must be from 1 to 8, not -1"),
        ("lm", "stride", 9, "stride must be from 1 to 8, not 9"),
        ("lm", "opening", [[]], "opening must be a whole number"),
        ("lm", "opening", 10**6, "opening must be from 0 to"),
        ("mlm", "stride", 0, "stride must be from 1 to 8, not 0"),
        ("mlm", "passes", 0, "passes must be from 1 to"),
    ],
)
def test_a_fact_of_the_task_that_cannot_be(store: Store, task: str, name: str, value: Any, said: str) -> None:
    path, values = record_of(store, task)
    path.write_text(json.dumps(values | {name: value}))
    with pytest.raises(InputError, match=f"{RECORD} is damaged: {re.escape(said)}"):
        store.open(path.parent.name)
    del values[name]
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match=f"{RECORD} is damaged: it lacks {name}"):
        store.open(path.parent.name)


@pytest.mark.parametrize(("task", "name"), [("lm", "perplexity"), ("lm", "tokens"), ("mlm", "pseudo_perplexity")])
def test_a_figure_of_a_text_that_is_no_number(store: Store, task: str, name: str) -> None:
    path, values = record_of(store, task)
    values["result"]["a"][name] = [1]
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match=rf"{RECORD} is damaged: result\.a\.{name} must be a"):
        store.open(path.parent.name)


@pytest.mark.parametrize(
    ("name", "value"),
    [("layers", [1]), ("width", 8.5), ("dropout", {}), ("classes", "two"), ("tied", 3), ("train.lr", [])],
)
def test_a_setting_of_another_type(store: Store, name: str, value: Any) -> None:
    path, values = record_of(store, "classifier")
    values["settings"][name] = value
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match=name):
        store.open(path.parent.name).score("Yes, we can.")


def test_a_model_that_is_larger_than_its_file(store: Store) -> None:
    path, values = record_of(store, "classifier")
    values["parameters"]["total"] = values["settings"]["width"] = 10**9
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match="has fewer values than the record counts"):
        store.open(path.parent.name).score("Yes, we can.")


def test_what_was_given_is_compared_before_anything_is_made_of_it(store: Store) -> None:
    from oratory.execution.resume import resume

    path, values = record_of(store, "classifier")
    values |= {"status": "interrupted", "given": values["given"] | {"width": str(10**9)}}
    path.write_text(json.dumps(values))
    with pytest.raises(InputError, match="cannot continue like this: in it, width is 8, not 1000000000"):
        resume(path.parent.name, runs=store.folder)


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1" + b"\xff" * 40 + b"\x28\0\0\0PAR1"])
def test_items_of_a_stranger_whose_checksum_is_right(tmp_path: Path, content: bytes) -> None:
    run = write_file(write(tmp_path), ITEMS, content)
    with pytest.raises(InputError, match=r"items\.parquet is not a whole Parquet file: .+\.$"):
        run.items()
