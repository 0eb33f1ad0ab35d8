"""Names that are nearly right are asked about."""

from pathlib import Path

import pytest

from oratory.errors import InputError, did_you_mean, nearest
from oratory.runs.store import Store
from oratory.text import load_corpus


def test_the_last_part_of_a_name_is_enough() -> None:
    assert nearest("lr", ["layers", "train.lr", "train.clip"])[0] == "train.lr"
    assert nearest("LAYRS", ["layers", "width"]) == ["layers"]
    assert did_you_mean("zzz", ["layers"]) == ""


def test_a_folder_nearby(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "speeches").mkdir()
    monkeypatch.chdir(tmp_path)
    for given, meant in (("speches", "speeches"), ("Speeches!", "speeches"), ("stou", "sotu")):
        with pytest.raises(InputError, match=f"Did you mean '{meant}'"):
            load_corpus(given)
    with pytest.raises(InputError, match=r"hub:NAME\.$"):
        load_corpus("nothing-like-it")


def test_last_is_a_name_of_a_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no run 'lat' .* Did you mean 'last'\?"):
        Store(tmp_path).find("lat")
