"""`oratory runs` as a user runs it."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

from oratory.cli import build
from oratory.errors import InputError
from oratory.runs.store import Store
from tests.cli.conftest import Run
from tests.cli.test_bad_input import refused
from tests.runs.records import write, write_file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two seeds of two variants, one language model, and one that was left behind."""
    made = tmp_path / "runs"
    for seed in (0, 1):
        write(made, seed=seed)
        write(made, seed=seed, given={"position": "rope"})
    write_file(write(made, "lm", seed=2), "model.safetensors", b"weights")
    write(made, seed=7, status="running", result=None)
    return made


def test_list(oratory: Run, folder: Path) -> None:
    done = oratory("runs", "list", cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    assert "Classifiers on speeches" in done.stdout
    assert "interrupted" in done.stdout
    for entry in Store(folder).entries():
        assert entry.id in done.stdout
    made = json.loads(oratory("runs", "list", "--runs", folder, "--json").stdout)
    assert [run["run"] for run in made["runs"]] == [entry.id for entry in Store(folder).entries()]
    assert made["runs"][0]["status"] == "interrupted"


def test_list_of_some(oratory: Run, folder: Path) -> None:
    words = ("position=rope", "accuracy>0.8")
    (found,) = json.loads(oratory("runs", "list", *words, "--runs", folder, "--json").stdout)["runs"]
    assert found["settings"]["position"] == "rope"
    assert found["figures"]["accuracy"] == 0.81
    options = ("--sort", "accuracy", "--descending", "--limit", "3", "--json")
    made = json.loads(oratory("runs", "list", *options, "--runs", folder).stdout)
    assert [run["figures"]["accuracy"] for run in made["runs"]] == [0.81, 0.81, 0.8]
    assert made["total"] == 6
    done = oratory("runs", "list", "--limit", "1", "--runs", folder)
    assert done.stderr == "1 of 6; --limit 0 shows all.\n"
    assert "none meets the conditions" in oratory("runs", "list", "seed=99", "--runs", folder).stderr


def test_groups(oratory: Run, folder: Path) -> None:
    made = json.loads(oratory("runs", "list", "status=finished", "--group", "--json", "--runs", folder).stdout)
    found = {(group["task"], group["variant"]): group for group in made["groups"]}
    assert set(found) == {("classifier", "base"), ("classifier", "position=rope"), ("lm", "base")}
    assert found["classifier", "base"]["seeds"] == [0, 1]
    assert found["classifier", "base"]["figures"]["accuracy"]["mean"] == pytest.approx(0.805)
    done = oratory("runs", "list", "--group-by", "position,layers", "--runs", folder)
    assert "rope" in done.stdout
    assert "80.5 ±" in done.stdout


def test_an_empty_store(oratory: Run, tmp_path: Path) -> None:
    done = oratory("runs", "list", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert "oratory train makes one" in done.stderr
    assert json.loads(oratory("runs", "list", "--json", cwd=tmp_path).stdout) == {"runs": [], "total": 0}
    assert list(tmp_path.iterdir()) == []


def test_show(oratory: Run, folder: Path) -> None:
    left, model = Store(folder).entries()[0], Store(folder).entries()[1]
    made = json.loads(oratory("runs", "show", model.id, "--json", "--runs", folder).stdout)
    assert made["perplexity"]["obama"] == 352
    assert "Perplexity after" in oratory("runs", "show", model.id[:6], "--runs", folder).stdout
    done = oratory("runs", "show", "--runs", folder)
    assert f"{left.id}: interrupted" in done.stdout


def test_remove(oratory: Run, folder: Path) -> None:
    first, second, *kept = (entry.id for entry in Store(folder).entries())
    assert "--yes removes" in refused(oratory, "runs", "rm", first, "--runs", folder)
    assert "There is no run" in refused(oratory, "runs", "rm", first, "nowhere", "--yes", "--runs", folder)
    (folder / second / "run.json").write_text("{")  # A damaged one can be removed too.
    done = oratory("runs", "rm", first, second, "--yes", "--runs", folder)
    assert done.stdout.split() == [first, second]
    assert {entry.id for entry in Store(folder).entries()} == set(kept)


def test_remove_asks_on_a_terminal(folder: Path) -> None:
    name = Store(folder).entries()[0].id
    for answer, left in (("n", True), ("y", False)):
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "oratory", "runs", "rm", name, "--runs", str(folder)]
        with subprocess.Popen(command, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            os.write(ours, f"{answer}\n".encode())
            _, said = process.communicate(timeout=120)
        os.close(ours)
        os.close(theirs)
        assert f"Delete {name} from" in said.decode()
        assert (folder / name).exists() is left
        assert process.returncode == (1 if left else 0)


def test_a_run_in_use_is_not_removed(oratory: Run, folder: Path) -> None:
    names = [entry.id for entry in Store(folder).entries()]
    with Store(folder).hold(names[0]):
        sentence = refused(oratory, "runs", "rm", names[1], names[0], "--yes", "--runs", folder)
    assert f"The run {names[0]} is in use" in sentence
    assert len(Store(folder).entries()) == len(names)


def test_export(oratory: Run, folder: Path, tmp_path: Path) -> None:
    done = oratory("runs", "export", tmp_path / "out" / "runs.csv", "task=classifier", "--runs", folder)
    assert done.returncode == 0, done.stderr
    table = pyarrow.csv.read_csv(tmp_path / "out" / "runs.csv")
    assert table.num_rows == 5
    assert {"run", "seed", "position", "train.lr", "accuracy"} <= set(table.column_names)
    model = next(entry for entry in Store(folder).entries() if entry.task == "lm")
    (folder / model.id / "metrics.jsonl").write_text('{"step": 1, "epoch": 1, "perplexity": {"train": 9.5}}\n')
    oratory("runs", "export", tmp_path / "long.parquet", "--metrics", "--runs", folder)
    (row,) = pyarrow.parquet.read_table(tmp_path / "long.parquet").to_pylist()
    assert (row["run"], row["figure"], row["value"]) == (model.id, "perplexity.train", 9.5)
    assert "should end in .csv or .parquet" in refused(oratory, "runs", "export", tmp_path / "x.txt", "--runs", folder)


def test_verify(oratory: Run, folder: Path) -> None:
    assert oratory("runs", "verify", "--runs", folder).stdout == "6 runs are as they were written.\n"
    model = next(entry.id for entry in Store(folder).entries() if entry.task == "lm")
    other = next(entry.id for entry in Store(folder).entries() if entry.task != "lm")
    (folder / model / "model.safetensors").write_bytes(b"weight5")
    (folder / other / "run.json").write_text("{")
    done = oratory("runs", "verify", "--runs", folder)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert f"{model}/model.safetensors was changed or damaged" in done.stderr
    assert f"{other}/run.json is damaged" in done.stderr
    made = oratory("runs", "verify", model, "--json", "--runs", folder)
    assert made.returncode == 1
    assert list(json.loads(made.stdout)["wrong"]) == [model]


def test_rebuild(oratory: Run, folder: Path) -> None:
    (folder / "catalogue.sqlite").write_text("nothing of use")
    assert oratory("runs", "rebuild", "--runs", folder).stdout == f"6 runs are in the catalogue of {folder}.\n"
    assert (folder / "catalogue.sqlite.damaged").read_text() == "nothing of use"


def test_words_that_do_not_fit(folder: Path) -> None:
    (folder / "newer").mkdir()
    (folder / "newer" / "run.json").write_text('{"format": 9}')
    (folder / "hollow").mkdir()
    (folder / "hollow" / "run.json").write_text('{"format": 1}')
    cases = {
        ("list", "positon=rope"): "There is no key 'positon'. Did you mean 'position'?",
        ("list", "--sort", "acuracy"): "Did you mean 'accuracy'?",
        ("list", "--group-by", "lr"): "There is no key 'lr'",
        ("list", "--group-by", ","): "--group-by takes keys with commas between",
        ("list", "--limit", "-1"): "--limit takes a number of rows",
        ("list", "--descending"): "need --sort KEY",
        ("show", "../runs"): "There is no run '../runs'",
        ("show", "newer"): "written by a newer Oratory",
        ("show", "hollow"): "hollow/run.json is damaged: it lacks id.",
        ("rm", "..", "--yes"): "There is no run '..'",
    }
    for arguments, message in cases.items():
        with pytest.raises(InputError, match=re.escape(message)):
            build()(["runs", *arguments, "--runs", str(folder)], standalone_mode=False)
