"""Names, tags and notes on runs: they are listed, found by, and change nothing of the run."""

from typing import Any

import pytest

import oratory as ora
from oratory.api import name_of
from oratory.errors import InputError
from oratory.runs import Store
from oratory.runs.filters import select
from oratory.runs.listing import Listing
from tests.execution.training import TASKS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def two(place: Any) -> Any:
    """A store with two runs."""
    folder = place / "two"
    made = [ora.train("classifier", place / "corpus", TASKS["classifier"], seed, runs=folder) for seed in (0, 1)]
    return Store(folder), *made


def test_they_are_kept_listed_and_found_by(two: Any) -> None:
    store, one, other = two
    store.annotate(one.id[:14], called="first", note="Trained on\na train.", tags=["good", "small"])
    again = store.open("first")
    assert (again.id, again.record.note, again.record.tags) == (one.id, "Trained on a train.", ("good", "small"))
    assert again.record.changed(name="", note="", tags=()) == one.record
    assert not store.verify(one.id)
    for condition in ("tags=good", "name=first", "note=train", "tags!=bad"):
        found = [entry.id for entry in select(store.entries(), [condition])]
        assert found == [one.id] if condition != "tags!=bad" else set(found) == {one.id, other.id}
    (table,) = Listing(tuple(store.entries()), 2).tables()
    assert {"name", "tags", "note"} <= set(table.columns)
    assert ("note", "Trained on a train.") in again.tables()[-1].rows
    assert ora.load_run("first", store.folder).id == name_of(ora.load_result("first", store.folder)) == one.id
    store.catalogue.rebuild()
    assert store.find("first") == one.id


def test_the_same_command_finds_the_run_as_before(two: Any, place: Any) -> None:
    store, one, _ = two
    store.annotate(one.id, tags=["kept"])
    again = ora.train("classifier", place / "corpus", TASKS["classifier"], 0, runs=store.folder)
    assert again.id == one.id
    assert "kept" in again.record.tags


def test_tags_go_again_and_wrong_ones_are_refused(two: Any) -> None:
    store, one, other = two
    store.annotate(one.id, called="mine", tags=["a", "b"])
    assert store.annotate(one.id, without=["a"], called="", note="").record.tags[-1] == "b"
    assert store.open(one.id).record.name == ""
    with pytest.raises(InputError, match="has no tag 'a'"):
        store.annotate(one.id, without=["a"])
    store.annotate(other.id, called="mine")
    for wrong in ("mine", "a b", "last", "classifier"):
        with pytest.raises(InputError):
            store.annotate(one.id, called=wrong)
