"""The keeper of results: every kind is written, read back, refused, listed and found in the same way."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from oratory.api.results import LOADERS
from oratory.comparisons.atlas.record import AtlasRecord, RowRecord
from oratory.comparisons.ensembles.record import EnsembleRecord
from oratory.comparisons.record import ComparisonRecord, VariantRecord
from oratory.comparisons.scales.record import CurveRecord, ScaleRecord
from oratory.errors import InputError
from oratory.records import read_record, write_record
from oratory.runs import Store
from oratory.runs.results import DesignRecord, ResultRecord, StoredResult
from oratory.searches.record import SearchRecord
from oratory.text.recorded import RecordedCorpus
from tests.runs.records import write as write_run

SHARED: dict[str, Any] = {"task": "lm", "corpus": RecordedCorpus("speeches", "f00d", "folder(path=x)")}
DESIGN: dict[str, Any] = {"seeds": (0, 1), "settings": {"layers": "1"}, "plugins": (("x.py", "content"),), **SHARED}
RUNS = ("a", None)
COMPARISON = ComparisonRecord(id="compare-1", variants=(VariantRecord("base", {}, RUNS),), **DESIGN)
SCALE = ScaleRecord(id="scale-1", variants=(CurveRecord("base", {}, (RUNS, RUNS)),), shares=(0.5, 1.0), **DESIGN)
ATLAS = AtlasRecord(
    id="atlas-1",
    rows=(RowRecord("", "base", "judged", runs={"as given": RUNS}),),
    only=("position",),
    limit=10.0,
    **DESIGN,
)
ENSEMBLE = EnsembleRecord(id="ensemble-1", named=("a", "b"), members={"base": RUNS}, size=2, **SHARED)
DESIGNED: list[DesignRecord] = [COMPARISON, SCALE, ATLAS]
RECORDS: list[ResultRecord] = [*DESIGNED, ENSEMBLE]
KINDS = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.KIND)


def test_every_kind_has_a_place_of_its_own() -> None:
    kinds: list[type[StoredResult]] = [type(record) for record in RECORDS]
    assert set(LOADERS) == {*kinds, SearchRecord}
    assert len({kind.FOLDER for kind in LOADERS}) == len({kind.KIND for kind in LOADERS}) == 5


@KINDS
def test_it_is_read_as_it_was_written(record: ResultRecord, tmp_path: Path) -> None:
    store = Store(tmp_path)
    record.write(store)
    assert type(record).read(record.id, store) == record
    assert set(read_record(record.path(record.id, store))) == {field.name for field in fields(record)}
    with pytest.raises(InputError, match=rf"There is no {record.KIND} 'other' in .*\. Known: {record.id}\."):
        type(record).read("other", store)


@KINDS
def test_a_list_has_it_and_says_where_it_is_damaged(record: ResultRecord, tmp_path: Path) -> None:
    store, kind = Store(tmp_path), type(record)
    record.write(store)
    [entry] = kind.entries(store)
    assert (entry.id, entry.kind, entry.seeds) == (record.id, record.KIND, 2)
    assert entry.what.startswith("lm on speeches: ")
    kind.path(record.id, store).write_text("{}")
    [entry] = kind.entries(store)
    assert (entry.id, entry.what, entry.seeds) == (record.id, "damaged", None)


@KINDS
def test_what_is_wrong_is_said_with_what_helps(record: ResultRecord, tmp_path: Path) -> None:
    store, kind = Store(tmp_path), type(record)
    path = kind.path(record.id, store)
    record.write(store)
    values = read_record(path)
    write_record(path, values | {"format": 99, "more": 1})
    with pytest.raises(InputError, match=rf"The {kind.KIND} {record.id} was written by a newer Oratory \(format 99;"):
        kind.read(record.id, store)
    for wrong in ({"FOLDER": "x"}, {"task": 1}, {"corpus": None}):
        write_record(path, values | wrong)
        with pytest.raises(InputError, match=rf"{record.id}.json is damaged: .*Its runs are there all the same"):
            kind.read(record.id, store)


@KINDS
def test_runs_of_something_else_are_refused(record: ResultRecord, tmp_path: Path) -> None:
    store = Store(tmp_path)
    fitting, other = write_run(tmp_path, "lm"), write_run(tmp_path, "classifier")
    assert [run and run.id for run in record.open_runs((fitting.id, None), store)] == [fitting.id, None]
    for ids, seeds in (((other.id,), None), ((fitting.id,), (7,))):
        with pytest.raises(InputError, match=r"json is damaged: .* is no finished run of lm on speeches \(f00d\)"):
            record.open_runs(ids, store, seeds)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        (replace(COMPARISON, seeds=(0,)), "'base' does not have a run for each seed"),
        (replace(SCALE, shares=(1.0,)), "'base' lacks runs of a part or a seed"),
        (replace(ATLAS, seeds=(0,)), "a row does not have a run for each seed"),
        (replace(ENSEMBLE, members={"a": RUNS, "b": ("c",)}), "its variants do not have equally many runs"),
        *((replace(record, plugins=(("x.py",),)), "a plugin is not a path and a content") for record in DESIGNED),
    ],
)
def test_values_that_do_not_fit_together_are_refused(record: ResultRecord, said: str, tmp_path: Path) -> None:
    record.write(Store(tmp_path))
    with pytest.raises(InputError, match=rf"{record.id}.json is damaged: {said}\. Its runs are there all the same"):
        type(record).read(record.id, Store(tmp_path))
