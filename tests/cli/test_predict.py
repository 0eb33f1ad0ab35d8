"""Texts in files and streams, the newest run that can be used, and runs that are chosen by conditions."""

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from oratory.api import beside_baselines, load_run, train
from oratory.errors import InputError
from oratory.runs import Run, Store
from oratory.text.given import read_texts
from tests.execution.training import CLASSIFIER, LM, words, write_corpus
from tests.program import Program


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_corpus(folder / "corpus")
    return folder


@pytest.fixture(scope="module")
def classifier(home: Path) -> Run:
    return train("classifier", home / "corpus", CLASSIFIER, runs=home / "runs")


def test_a_file_a_table_and_a_stream_are_read(
    program: Program, home: Path, classifier: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "lines.txt").write_text("Yes, we can.\n\nThank you all.\n")
    (home / "table.csv").write_text('text,label\n"Yes, we can.",0\nThank you all.,1\nGo on.,1\n')
    lines = json.loads(program("score", classifier.id, "lines.txt", "--json", cwd=home).stdout)
    assert [row["text"] for row in lines["texts"]] == ["Yes, we can.", "Thank you all."]
    assert lines["texts"][0]["p(0)"] + lines["texts"][0]["p(1)"] == pytest.approx(1, abs=1e-5)
    done = program("predict", classifier.id, "table.csv", "--out", "out.csv", cwd=home)
    assert done.returncode == 0, done.stderr
    assert "of 3 labels are right." in done.stdout
    rows = list(csv.DictReader((home / "out.csv").read_text().splitlines()))
    assert [row["label"] for row in rows] == ["0", "1", "1"]
    assert set(rows[0]) == {"text", "label", "predicted", "p(0)", "p(1)"}
    assert program("predict", classifier.id, "table.csv", "--out", "out.parquet", cwd=home).returncode == 0
    assert pq.read_table(home / "out.parquet").num_rows == 3
    assert program("predict", classifier.id, "table.csv", "--out", "out.xlsx", cwd=home).returncode == 2
    mixed = program("score", classifier.id, "lines.txt", "Go on.", cwd=home)
    assert mixed.returncode == 2
    assert "score it by itself" in mixed.stderr
    from oratory.cli import _predictions as predictions

    monkeypatch.setattr("sys.stdin", io.StringIO("one\n \ntwo\n"))
    assert predictions.stdin_lines() == ["one", "two"]


def test_a_table_without_labels_has_its_texts(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("nr,review\n1,Go on.\n2,Thank you.\n")
    assert read_texts(tmp_path / "a.csv").texts == ("Go on.", "Thank you.")
    assert read_texts(tmp_path / "a.csv").labels is None
    (tmp_path / "b.jsonl").write_text('{"said": "Go on.", "x": 1}\n')
    assert read_texts(tmp_path / "b.jsonl", "said").texts == ("Go on.",)
    with pytest.raises(InputError, match="none of the columns said, x is called text"):
        read_texts(tmp_path / "b.jsonl")
    (tmp_path / "c.csv").write_text("text,label\nGo on.,1\n,0\n")
    with pytest.raises(InputError, match="line 3: there is nothing in this cell"):
        read_texts(tmp_path / "c.csv")


def test_last_is_the_newest_run_that_can_be_used(home: Path, classifier: Run, program: Program) -> None:
    stopped = train("lm", home / "corpus", LM, runs=home / "runs").write(status="interrupted")
    Store(home / "runs").catalogue.put(stopped)
    assert Store(home / "runs").find("last") == stopped.id
    assert load_run("last", home / "runs").id == classifier.id
    done = program("score", "last", "Go on.", cwd=home)
    assert f"last is {classifier.id}; {stopped.id} is newer, and not finished." in done.stderr
    assert program("runs", "rm", "status=interrupted", "layers=7", "--yes", cwd=home).returncode == 2
    removed = program("runs", "rm", "status=interrupted", "task=lm", "--yes", cwd=home)
    assert removed.stdout.split() == [stopped.id]
    assert not Store(home / "runs").has(stopped.id)


def test_conditions_are_in_the_units_of_the_table(home: Path, classifier: Run, program: Program) -> None:
    share = classifier.result["test"]["accuracy"]
    for written, there in ((f"accuracy>={100 * share}", True), (f"accuracy>{100 * share + 1}", False)):
        found = json.loads(program("runs", "list", written, "task=classifier", "--json", cwd=home).stdout)
        assert bool(found["runs"]) == there
    found = json.loads(program("runs", "list", f"accuracy>={share}", "task=classifier", "--json", cwd=home).stdout)
    assert found["runs"]


def test_several_samples_slide_beyond_learned_positions(home: Path, program: Program) -> None:
    run = train("lm", home / "corpus", LM | {"position": "learned"}, runs=home / "runs")
    done = program("generate", run.id, "We Zorblax", "--tokens", "40", "--samples", "3", "--json", cwd=home)
    assert done.returncode == 0, done.stderr
    assert "Not in the vocabulary: Zorblax." in done.stderr
    facts = json.loads(done.stdout)
    assert len(facts["texts"]) == 3
    assert facts["texts"][0] == run.generate("We Zorblax", 40)
    assert facts["texts"][1] == run.generate("We Zorblax", 40, seed=1)


def test_a_run_is_shown_beside_its_baselines(home: Path, classifier: Run, program: Program) -> None:
    shown = program("runs", "show", classifier.id, cwd=home)
    assert shown.returncode == 0, shown.stderr
    for name in ("(majority)", "(lookup)", "(tfidf-svm)", "seen", "unseen"):
        assert name in shown.stdout
    again = program("train", "classifier", "--data", "corpus", *words(CLASSIFIER), cwd=home)
    assert f"{classifier.id} is finished already" in again.stderr
    assert "(tfidf-svm)" in again.stdout
    standing = beside_baselines(classifier)
    assert {"majority", "lookup", "tfidf-svm"} <= standing.baselines.keys()


def test_a_plugin_is_loaded_from_python(home: Path) -> None:
    path = home / "quiet.py"
    path.write_text(
        "from dataclasses import dataclass\n"
        "from oratory.mechanisms import Position\n\n\n"
        "@dataclass(frozen=True)\nclass Quiet(Position):\n"
        '    """Nothing."""\n'
    )
    run = train("lm", home / "corpus", LM | {"position": "quiet"}, runs=home / "runs", plugins=[path])
    assert run.settings["position"] == "quiet"
    assert [plugin.name for plugin in run.record.plugins] == ["quiet.py"]


def test_json_has_the_baselines_too(home: Path, program: Program) -> None:
    done = program("train", "classifier", "--data", "corpus", *words(CLASSIFIER), "--json", cwd=home)
    assert done.returncode == 0, done.stderr
    beside = json.loads(done.stdout)["beside_baselines"]
    assert {"majority", "lookup", "tfidf-svm"} <= set(beside["baselines"])
    assert beside["variants"][json.loads(done.stdout)["run"]]["all"]["mean"] is not None


def test_texts_become_a_table(home: Path, program: Program, classifier: Run) -> None:
    done = program("score", classifier.id, "One text.", "Another one.", "--out", "texts.csv", cwd=home)
    assert done.returncode == 0, done.stderr
    assert len((home / "texts.csv").read_text().splitlines()) == 3


def test_a_run_that_got_worse_says_so(home: Path, program: Program) -> None:
    settings = words(LM | {"train.lr": "10", "train.optimizer": "adam"})
    done = program("train", "lm", "--data", "corpus", *settings, cwd=home)
    assert done.returncode == 0, done.stderr
    assert "Training made this model worse: its perplexity" in done.stdout
    assert max(map(len, done.stdout.replace("─", "").split())) < 60
