"""`oratory report` as its users would try it: a run, a comparison, a recipe."""

from pathlib import Path

import pytest

from oratory.execution.train import train
from oratory.reports import Document
from oratory.reports.command import command_of
from oratory.reports.run import run_document
from oratory.runs import Run as Trained
from tests.cli.conftest import Run, result
from tests.cli.test_bad_input import refused
from tests.execution.training import TASKS, write_corpus


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trained]:
    """A run of each task, in one store."""
    home = tmp_path_factory.mktemp("home")
    corpus = write_corpus(home / "corpus")
    return {task: train(task, corpus, settings, 3, runs=home / "runs") for task, settings in TASKS.items()}


def titles(document: Document) -> list[str]:
    return [section.title for section in document.sections]


def test_a_classifier(runs: dict[str, Trained]) -> None:
    run = runs["classifier"]
    document = run_document(run)
    assert titles(document) == [
        "What it scores",
        "Seen and unseen",
        "Learning curves",
        "Which is taken for which",
        "How sure it is",
        "How to repeat it",
    ]
    assert [figure.name for figure in document.figures] == [
        "accuracy",
        "parts",
        "curves",
        "loss",
        "confusion",
        "calibration",
    ]
    assert {"parameters", "the-run", "versions", "each-label"} <= set(document.tables)
    [result] = [table for name, table in document.tables.items() if name.startswith("accuracy-after")]
    assert result == run.results()[0]


def test_a_language_model(runs: dict[str, Trained]) -> None:
    document = run_document(runs["lm"])
    assert titles(document) == ["What it scores", "Each text", "Learning curves", "How to repeat it"]
    curves = next(figure.svg for figure in document.figures if figure.name == "curves")
    for text in ("train", "a", "b"):
        assert f">{text}</text>" in curves or f"{text}\n" in curves or text in curves


def test_the_command_trains_it_again(oratory: Run, runs: dict[str, Trained]) -> None:
    import shlex

    run = runs["lm"]
    words = shlex.split(command_of(run))
    assert words[:3] == ["oratory", "train", "lm"]
    done = result(oratory(*words[1:], "--runs", run.folder.parent, "--json"))
    assert done["run"] == run.id


@pytest.mark.parametrize("suffix", [".html", ".pdf", ".md", ".tex", ".csv"])
def test_the_suffix_says_what_kind(oratory: Run, runs: dict[str, Trained], tmp_path: Path, suffix: str) -> None:
    run = runs["classifier"]
    target = tmp_path / f"report{suffix}"
    found = result(oratory("report", run.id, "--runs", run.folder.parent, "--out", target, "--json"))
    assert found["what"] == run.id
    assert all(Path(path).stat().st_size for path in found["files"])
    assert len(found["files"]) > 1 if suffix in (".md", ".tex", ".csv") else found["files"] == [str(target)]


def test_a_folder_and_a_default(oratory: Run, runs: dict[str, Trained], tmp_path: Path) -> None:
    run = runs["lm"]
    done = oratory("report", run.id[:8], "--runs", run.folder.parent, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"The report is at {run.id}.html\n"
    assert (tmp_path / f"{run.id}.html").exists()
    assert oratory("report", run.id, "--runs", run.folder.parent, "--out", "all", cwd=tmp_path).returncode == 0
    assert {path.name for path in (tmp_path / "all").iterdir()} >= {
        "report.html",
        "report.pdf",
        "report-figures",
        "tables",
    }


def test_a_comparison(oratory: Run, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus")
    words = ["--set", "layers=1", "--set", "width=8", "--set", "train.iterations=2", "--data", corpus]
    made = result(
        oratory("compare", "base", "position=none", "--task", "lm", "--seeds", "2", *words, "--json", cwd=tmp_path)
    )
    name = made["comparison"]
    found = result(oratory("report", name, "--json", cwd=tmp_path))
    assert found["files"] == [f"{name}.html"]
    assert "Verdicts" in (tmp_path / f"{name}.html").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["nothing"], "There is no run, comparison, atlas, ensemble, scale, search or recipe 'nothing'."),
        (["r2-windo"], "Did you mean 'r2-window'?"),
        (["r2-window"], "was not run into runs yet; oratory reproduce r2-window does that"),
        (["last"], "There is no run in runs yet"),
        (["last", "--out", "a.docx"], "a.docx does not say what to write"),
    ],
)
def test_bad_input_is_one_sentence(oratory: Run, tmp_path: Path, words: list[str], sentence: str) -> None:
    assert sentence in " ".join(refused(oratory, "report", *words, cwd=tmp_path).split())
    assert list(tmp_path.iterdir()) == []


def test_the_report_of_an_unfinished_run_says_so(runs: dict[str, Trained]) -> None:
    half = Trained(runs["lm"].folder, runs["lm"].record.changed(status="interrupted"))
    assert run_document(half).title.endswith("not finished")
