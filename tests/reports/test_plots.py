"""Results show themselves: `print` as tables, notebooks as pictures."""

from typing import Any

import pytest

import oratory as ora
from oratory.reports import progress
from oratory.tables import Plots, Table
from tests.execution.training import TASKS


def test_a_table_as_text() -> None:
    table = Table("Title", ("name", "all"), (("a", "1.5"), ("longer", "10.0")), note="A note.")
    assert table.text().splitlines() == [
        "Title",
        "name      all",
        "─────────────",
        "a         1.5",
        "longer   10.0",
        "A note.",
    ]


@pytest.mark.slow
def test_results_have_pictures(place: Any, runs: Any, in_this_process: Any) -> None:
    found = ora.compare(
        "position=learned",
        "position=none",
        corpus=place / "corpus",
        seeds=2,
        settings={"layers": 1, "width": 8, "train.epochs": 1},
        runs=runs,
    )
    assert str(found).startswith("classifier on corpus")
    assert "position=none" in str(found)
    pictures = found.plot()
    assert isinstance(pictures, Plots)
    assert len(pictures) > 1
    assert pictures._repr_html_().count("<svg") == len(pictures)
    run = found.runs()["position=none"][0]
    maps = ora.attend(run, "We will go on together.")
    assert "<svg" in maps._repr_html_()
    assert "Sanity checks" in maps._repr_html_()
    assert len(run.plot()) >= 2


@pytest.mark.slow
def test_a_notebook_has_a_bar(place: Any, runs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []

    class Bar:
        def __enter__(self) -> Any:
            return heard.append

        def __exit__(self, *error: Any) -> None:
            heard.append("closed")

    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("oratory.api.runs.RunProgress", Bar)
    ora.train("classifier", place / "corpus", TASKS["classifier"], runs=runs)
    assert len(heard) > 3
    assert heard[-1] == "closed"
    with progress.in_notebook(Bar, print) as listen:
        assert listen is print
