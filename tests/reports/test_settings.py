"""The settings in reports: those that matter, as a user writes them."""

from typing import Any

import pytest

import oratory as ora
from oratory.reports.comparison import comparison_document
from tests.execution.training import TASKS


@pytest.mark.slow
def test_what_differs_stands_first_and_other_tasks_are_left_out(place: Any, runs: Any) -> None:
    given = {name: value for name, value in TASKS["lm"].items() if name != "position"}
    found = ora.compare(
        "position=learned", "position=none", task="lm", corpus=place / "corpus", seeds=1, settings=given, runs=runs
    )
    tables = comparison_document(found).sections[-1].tables
    differ = next(table for table in tables if table.title == "Settings that differ")
    same = next(table for table in tables if table.title == "Settings that all variants share")
    assert differ.rows == (("position", "learned", "none"),)
    assert {"classes", "pool", "head_hidden", "train.rdrop"}.isdisjoint(row[0] for row in same.rows)
    assert ("tied", "off") in same.rows
    assert not {"True", "False"} & {cell for row in same.rows for cell in row}
