"""Ids are ids: never paths, wherever one is asked for."""

import json
from functools import partial
from pathlib import Path

import pytest

from oratory.api import load_result, report
from oratory.errors import InputError
from oratory.ids import id_of, is_id, key_of
from oratory.runs import Store
from tests.runs.records import record, write

PATHS = ["../x", "../../../x", "../comparisons/x", "/etc/passwd", "..", ".", "a/b", "x.json", "~", "a\\b", "a b", ""]


def test_what_is_made_is_an_id() -> None:
    assert is_id(id_of("compare", key_of([1])))
    assert is_id("r2-window")


@pytest.mark.parametrize("name", [*PATHS, "é", "-x", "a\n", "a" * 201, "a%41", "a\x1b"])
def test_what_is_none(name: str) -> None:
    assert not is_id(name)


@pytest.mark.parametrize("name", PATHS)
def test_a_path_is_refused_wherever_an_id_is_asked_for(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "a" / "b" / "runs"
    write(folder)
    for kind in ("comparisons", "searches", "recipes"):
        (folder / kind).mkdir()
    for outside in (tmp_path / "x.json", tmp_path / "a" / "x.json", folder / "x.json"):
        outside.write_text(json.dumps(record()))
    (tmp_path / "a" / "b" / "x").mkdir()
    (tmp_path / "a" / "b" / "x" / "run.json").write_text(json.dumps(record()))
    for ask in (Store(folder).open, partial(load_result, runs=folder), partial(report, runs=folder)):
        with pytest.raises(InputError, match="There is no run"):
            ask(name)


def test_files_with_other_names_are_no_comparisons(tmp_path: Path) -> None:
    from oratory.comparisons.record import ComparisonRecord
    from oratory.searches.record import SearchRecord

    for name in ("comparisons/..json", "comparisons/a b.json", "searches/a.b.sqlite", "searches/-.sqlite"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert ComparisonRecord.names(Store(tmp_path)) == SearchRecord.names(Store(tmp_path)) == []
