"""`oratory reproduce` as its users would try it."""

from pathlib import Path

import pytest

from oratory.cli import build
from oratory.recipes import recipe_names
from tests.cli.conftest import Run, result
from tests.cli.test_bad_input import refused
from tests.execution.training import write_corpus

TINY = [word for setting in ("layers=1", "width=8", "heads=1") for word in ("--set", setting)]


def test_the_list(oratory: Run, tmp_path: Path) -> None:
    listed = result(oratory("reproduce", "--json", cwd=tmp_path))
    assert [entry["name"] for entry in listed["recipes"]] == list(recipe_names())
    for entry in listed["recipes"]:
        assert entry["title"]
        assert entry["seconds"] == (None if entry["task"] else 0)  # Nothing is trained for attention by hand.
    assert "timed when it is run" in listed["estimate"]
    assert list(tmp_path.iterdir()) == []


def test_a_recipe_from_end_to_end(oratory: Run, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    words = ["reproduce", "r4-lm", "--data", corpus, "--seeds", "2", "--runs", tmp_path / "runs", *TINY]
    words += ["--set", "train.iterations=2", "--out", tmp_path / "out"]
    done = oratory(*words, "--json")
    found = result(done)
    assert "Timing a few updates" in done.stderr
    assert "2 runs to train" in done.stderr
    assert found["estimate"]["runs"] == found["estimate"]["timed"] == 2
    [recipe] = found["recipes"]
    assert recipe["recipe"] == "r4-lm"
    assert recipe["seeds"] == [0, 1]
    assert recipe["comparison"] is None
    by_figure = {figure["figure"]: figure for figure in recipe["figures"]}
    train = by_figure["perplexity: train"]
    assert train["reference"] == 155.1
    assert train["of_new_seed"] == "not comparable"
    assert train["reason"].startswith("other data")
    assert train["ours"]["prediction"] is None  # Two seeds do not say where a third one would be.
    assert len(train["ours"]["seeds"]) == 2
    for name in ("report.html", "report.pdf", "report.md", "report.tex"):
        assert (tmp_path / "out" / "r4-lm" / name).stat().st_size > 1000
    again = oratory(*words[:-2])
    assert again.returncode == 0, again.stderr
    assert "All 2 runs are in the store." in again.stderr
    assert again.stderr.count("had") == 2
    assert "not comparable" in again.stdout
    report = result(oratory("report", "r4-lm", "--runs", tmp_path / "runs", "--out", tmp_path / "one.md", "--json"))
    assert Path(report["files"][0]).read_text().startswith("# R4, language model")


def test_several_recipes_share_their_runs(oratory: Run, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    words = ["reproduce", "r1-classifier", "r2-classifier", "--data", corpus, "--seeds", "1", "--runs", tmp_path, *TINY]
    done = oratory(*words, "--set", "train.epochs=1")
    assert done.returncode == 0, done.stderr
    assert "1 run to train" in done.stderr
    assert done.stderr.count("done") == 1
    assert done.stderr.count("had") == 1
    assert "One seed has no interval" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["r2-windw"], "There is no recipe 'r2-windw'. Did you mean 'r2-window'?"),
        (["--all", "cls"], "--all runs every recipe; leave out cls, or --all."),
        (["r2-window"], "needs the reference speeches: set ORATORY_SPEECHES to their folder, or say --data FOLDER"),
        (["--all"], "needs the reference speeches"),
        (["r2-window", "--data", "nowhere"], "nowhere does not exist"),
        (["cls", "--seeds", "0"], "from 1 to 10,000 seeds"),
        (["cls", "--set", "layer=1"], "Did you mean 'layers'?"),
        (["r3-grid", "--set", "layers=1"], "There is no setting 'layers'."),
        (["r3-grid", "--set", "train.optimizer=sdg"], "Did you mean 'sgd'?"),
        (["cls", "--set", "model=minilm"], "There is no setting 'model'."),
        (["cls", "--set", "layers=0"], "layers=0: it must be at least 1."),
        (["cls", "--set", "train.epochs=x"], "'x' is not a whole number"),
        (["cls", "bpe", "--out", "a.html"], "a.html is one file, and there are 2 recipes"),
        (["cls", "--out", "a.docx"], "a.docx does not say what to write"),
        (["cls", "--on", "moon"], "There is no place 'moon'"),
    ],
)
def test_bad_input_is_one_sentence(
    oratory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str
) -> None:
    monkeypatch.delenv("ORATORY_SPEECHES", raising=False)
    assert sentence in " ".join(refused(oratory, "reproduce", *words, cwd=tmp_path).split())
    assert list(tmp_path.iterdir()) == []


def test_the_speeches_of_the_environment(oratory: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORATORY_SPEECHES", str(write_corpus(tmp_path / "corpus")))
    words = [
        "reproduce",
        "r1-classifier",
        "--seeds",
        "1",
        "--runs",
        tmp_path / "runs",
        *TINY,
        "--set",
        "train.epochs=1",
    ]
    [found] = result(oratory(*words, "--json"))["recipes"]
    before = next(figure for figure in found["figures"] if figure["at"] == 0)
    assert before["ours"]["mean"] >= 0


def test_it_is_a_command() -> None:
    names = {command.name for command in build().registered_commands}
    assert {"reproduce", "report"} <= names
