"""What is kept of a comparison: read back as it was, or refused in a sentence."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from oratory.comparisons.record import ComparisonRecord, VariantRecord
from oratory.errors import InputError
from oratory.records import read_record, write_record
from oratory.runs import Store
from oratory.text.recorded import RecordedCorpus
from tests.runs.records import write

KEPT = ComparisonRecord(
    id="compare-1",
    task="lm",
    corpus=RecordedCorpus("speeches", "f00d", "folder(path=x)"),
    variants=(
        VariantRecord("base", {}, ("a", None)),
        VariantRecord("rope", {"position": "rope"}, ("b", "c"), "search-1"),
    ),
    seeds=(0, 1),
    settings={"layers": "1"},
    plugins=(("x.py", "content"),),
    problems={"base, seed 1": "it broke"},
)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    KEPT.write(Store(tmp_path))
    return Store(tmp_path)


def path_of(store: Store) -> Path:
    return ComparisonRecord.path("compare-1", store)


def test_it_is_read_as_it_was_written(store: Store) -> None:
    assert ComparisonRecord.read("compare-1", store) == KEPT
    with pytest.raises(InputError, match=r"There is no comparison '\.\./compare-1'"):
        ComparisonRecord.read("../compare-1", store)


def test_a_newer_format_is_refused(store: Store) -> None:
    write_record(path_of(store), read_record(path_of(store)) | {"format": 99, "more": 1})
    with pytest.raises(InputError, match=r"newer Oratory \(format 99; this one reads up to 1\): update Oratory"):
        ComparisonRecord.read("compare-1", store)


@pytest.mark.parametrize(
    "other",
    [
        {"task": "classifier"},
        {"seed": 1},
        {"corpus": {"name": "speeches", "fingerprint": "cafe", "source": None}},
        {"status": "interrupted"},
    ],
)
def test_runs_of_something_else_are_refused(store: Store, other: dict[str, Any]) -> None:
    fitting, wrong = write(store.folder, "lm"), write(store.folder, **{"task": "lm", "given": {"layers": 2}} | other)
    for runs in ((fitting.id,), (wrong.id,)):
        replace(KEPT, variants=(VariantRecord("base", {}, runs),), seeds=(0,)).write(store)
        kept = ComparisonRecord.read("compare-1", store)
        if runs == (fitting.id,):
            assert [run.id for run in kept.runs_in(store)["base"] if run] == [fitting.id]
        else:
            said = rf"compare-1.json is damaged: {wrong.id} is no finished run of lm on speeches \(f00d\) with seed 0"
            with pytest.raises(InputError, match=said):
                kept.runs_in(store)


def test_no_damage_is_unseen(store: Store) -> None:
    whole = path_of(store).read_bytes()
    for at in range(len(whole)):
        for content in (whole[:at], whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1 :]):
            path_of(store).write_bytes(content)
            with suppress(InputError):
                assert ComparisonRecord.read("compare-1", store) == KEPT


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda kept: kept.pop("seeds"), "it lacks seeds"),
        (lambda kept: kept.update(seeds=["0"]), r"seeds\[0\] must be a whole number"),
        (lambda kept: kept.update(seeds=[0]), "'base' does not have a run for each seed"),
        (lambda kept: kept.update(variants={}), "variants must be a list"),
        (lambda kept: kept["variants"][0].update(runs=[None, None]), "'base' does not have a run for each seed"),
        (lambda kept: kept["variants"][0].update(runs=[1, 2]), r"variants\[0\].runs\[0\] must be text"),
        (lambda kept: kept.update(corpus=None), "corpus must be an object"),
        (lambda kept: kept.update(problems=[1]), "problems must be an object"),
        (lambda kept: kept.update(plugins=[["a"]]), "a plugin is not a path and a content"),
        (lambda kept: kept.update(odd=1), "nothing is known of odd"),
    ],
)
def test_a_wrong_value_is_named(store: Store, change: Callable[[dict[str, Any]], Any], said: str) -> None:
    kept = json.loads(path_of(store).read_text())
    del kept["digest"]
    change(kept)
    path_of(store).write_text(json.dumps(kept))
    with pytest.raises(InputError, match=f"compare-1.json is damaged: {said}.*Its runs are there all the same"):
        ComparisonRecord.read("compare-1", store)
