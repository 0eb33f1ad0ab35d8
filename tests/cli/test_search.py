"""`oratory search` as a user runs it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from oratory.api import search
from oratory.cli import build
from oratory.errors import InputError
from tests.cli.conftest import Run
from tests.searches.searching import CLASSIFIER, LM, write_corpus


def options(settings: dict[str, str]) -> list[str]:
    return [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus")


def test_search(oratory: Run, data: Path, tmp_path: Path) -> None:
    space = ("train.lr=0.01,0.02", "position=learned,none", "--method", "grid")
    shared = ("--data", data, "--seeds", "2", "--workers", "2", "--runs", tmp_path / "runs", *options(CLASSIFIER))
    done = oratory("search", *space, *shared, "--report", tmp_path / "search.html", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [trial["settings"] for trial in found["trials"]] == [
        {"train.lr": lr, "position": position} for lr in ("0.01", "0.02") for position in ("learned", "none")
    ]
    best = found["best"]
    assert best["dev"] == max(trial["dev"] for trial in found["trials"])
    assert best["seeds"] == [0, 1]
    assert len(best["runs"]) == 2
    assert 0 <= best["test"]["all"]["mean"] <= 1
    assert found["corpus"]["dev"] == "carved from train"
    assert "Dev was carved from train" in found["corpus"]["carving"][0]
    assert "4/4 trial 3: train.lr=0.02 position=none:" in done.stderr
    assert "How to repeat it" in (tmp_path / "search.html").read_text()
    again = oratory("search", *space, *shared)
    assert again.returncode == 0
    assert "4 trials by grid, the best first" in again.stdout
    assert "The best settings on test" in again.stdout
    assert "trial" not in again.stderr
    assert again.stderr.startswith("All 8 runs are in the store.")


@pytest.mark.long
def test_stopped_in_the_middle_it_goes_on(data: Path, tmp_path: Path) -> None:
    settings = LM | {"train.iterations": "60", "train.eval_every": "60"}
    arguments = ["search", "train.lr=1e-3..1e-1", "--task", "lm", "--trials", "5", "--seeds", "1", "--at-once", "2"]
    arguments += ["--data", str(data), "--runs", str(tmp_path / "stopped"), "--workers", "1", *options(settings)]
    out = tmp_path / "out.txt"
    with out.open("wb") as file:
        command = [sys.executable, "-m", "oratory", *arguments]
        child = subprocess.Popen(command, stderr=file, stdout=file, start_new_session=True)
    until = time.monotonic() + 200
    while "1/5 trial 0" not in out.read_text() and time.monotonic() < until:
        time.sleep(0.02)
    os.killpg(child.pid, signal.SIGINT)  # As a terminal does: to all of them.
    assert child.wait(timeout=180) == 130, out.read_text()
    assert "Traceback" not in out.read_text()
    assert "5/5" not in out.read_text()
    assert re.search(r"About .* of training: ", out.read_text())
    assert re.search(r"Stopped after \d of 5 trials. These are kept in search-", out.read_text())
    same = {"task": "lm", "corpus": data, "trials": 5, "seeds": 1, "at_once": 2, "workers": 1, "settings": settings}
    resumed = search("train.lr=1e-3..1e-1", runs=tmp_path / "stopped", **same)  # type: ignore[arg-type]
    straight = search("train.lr=1e-3..1e-1", runs=tmp_path / "straight", **same)  # type: ignore[arg-type]
    assert resumed.to_dict() == straight.to_dict()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["train.lr=0.1"], "leaves nothing to choose"),
        (["train.lr=0.1,0.2", "--task", "labels"], "There is no task 'labels'"),
        (["train.lr=0.1,0.2", "--method", "tpee"], "Did you mean 'tpe'"),
        (["train.lr=0.1,0.2", "--seeds", "many"], "neither a number of seeds nor a list"),
        (["train.lr=0.1,0.2", "--set", "train.lr=0.3"], "given for all trials, and searched as well"),
        (["train.lr=0.1,0.2", "--on", "moon"], "There is no place 'moon'"),
        (["train.lr=0.1,0.2", "--workers", "0"], "at least one is needed"),
        (["train.lr=0.1,0.2", "--report", "search.doc"], "search.doc"),
        (["width=8,9", "--set", "heads=2"], "width=9"),
    ],
)
def test_bad_input(data: Path, tmp_path: Path, words: list[str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        build()(["search", *words, "--data", str(data), "--runs", str(tmp_path / "runs")], standalone_mode=False)
    assert not (tmp_path / "runs").exists()


def test_without_optuna(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(InputError, match=r"pip install 'oratory\[search\]'"):
        search("train.lr=0.1,0.2", corpus=data, runs=tmp_path / "runs")
