"""`oratory calibrate` as its users would try it."""

from pathlib import Path
from typing import Any

import pytest

import oratory as ora
from tests.cli.conftest import Run, result

TINY: dict[str, Any] = {"layers": 1, "width": 8, "context": 8, "tokenizer": "char", "train.epochs": 1}


def test_simulated_verdicts(oratory: Run) -> None:
    facts = result(oratory("calibrate", "--trials", "100", "--json"))
    assert len(facts["rows"]) == 33
    first = facts["rows"][0]
    assert (first["scores"], first["seeds"], first["items"]) == ("neither matters", 3, 200)
    assert first["rates"]["false, alone"]["at_most"] == 0.05
    assert first["rates"]["power, of 4"]["at_least"] == 0.8
    assert {"rate", "interval", "trials", "promise"} <= set(first["rates"]["power, alone"])
    assert facts["rows"][-1]["promise"] == "broken"


def test_stored_runs_of_one_variant(oratory: Run, folder: Path, tmp_path: Path) -> None:
    for seed in range(7):
        run = ora.train("classifier", folder, TINY, seed, runs=tmp_path)
    ora.train("classifier", folder, TINY | {"width": 16}, 0, runs=tmp_path)
    words = ("calibrate", "--like", run.id, "--trials", "100", "--runs", tmp_path)
    facts = result(oratory(*words, "--json"))
    assert facts["title"] == "False verdicts in %: accuracy, 7 runs of one variant"
    [row] = facts["rows"]
    assert (row["seeds"], row["items"]) == (3, 2)
    assert row["rates"]["false, separate sets"]["trials"] == 1
    assert row["rates"]["false, random splits"]["trials"] == 100
    shown = oratory(*words)
    assert shown.returncode == 0
    assert "not refuted" in shown.stdout
    few = oratory(*words, "--seeds", "4")
    assert few.returncode == 2
    assert "Two sets of 4 seeds need 8 runs of the variant; there are 7." in " ".join(few.stderr.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--trials", "20"], "--trials 20: at least 100 are needed"),
        (["--seed", "-1"], "--seed -1: a seed is not negative"),
        (["--seeds", "5"], "say which runs with --like RUN"),
        (["--like", "last"], "There is no run in"),
    ],
)
def test_bad_input_is_one_sentence(oratory: Run, tmp_path: Path, words: list[str], sentence: str) -> None:
    done = oratory("calibrate", *words, "--runs", tmp_path / "runs")
    assert done.returncode == 2
    assert sentence in " ".join(done.stderr.split())


def test_too_few_stored_runs(oratory: Run, folder: Path, tmp_path: Path) -> None:
    ora.train("classifier", folder, TINY, 0, runs=tmp_path)
    done = oratory("calibrate", "--like", "last", "--runs", tmp_path)
    assert done.returncode == 2
    assert "Finished runs like classifier-" in " ".join(done.stderr.split())
