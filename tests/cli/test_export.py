"""`oratory export`, and `oratory train --track`."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SMALL = ("layers=1", "width=8", "train.iterations=4", "train.eval_every=2")


def test_a_tracked_run_is_exported(oratory: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WANDB_MODE", "WANDB_SERVICE"):
        monkeypatch.delenv(name, raising=False)
    train = ("train", "lm", *SMALL, "--data", folder, "--runs", tmp_path / "runs", "--json")
    ran = oratory(*train, "--track", "tensorboard", "--track", "wandb", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "wandb:" not in ran.stderr
    run = tmp_path / "runs" / json.loads(ran.stdout)["run"]
    assert list((run / "tensorboard").glob("events.out.tfevents.*"))
    assert list((run / "wandb").glob("offline-run-*/*.wandb"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus", "runs"]

    made = oratory("export", "last", "--to", "onnx", "--runs", tmp_path / "runs", "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert made.stderr == f"last is {run.name}.\n"
    facts = json.loads(made.stdout)
    assert facts["path"] == f"{run.name}.onnx"
    assert facts["bytes"] == (tmp_path / facts["path"]).stat().st_size
    assert facts["difference"] < 1e-4


def test_a_tracker_that_fails_is_one_note(oratory: Run, folder: Path, tmp_path: Path) -> None:
    train = ("train", "lm", *SMALL, "--data", folder, "--runs", tmp_path / "runs", "--json")
    run = json.loads(oratory(*train, "train.save_every=1").stdout)["run"]
    (tmp_path / "runs" / run / "tensorboard").write_text("in the way")
    again = oratory(*train, "train.save_every=1", "--track", "tensorboard")
    assert (again.returncode, json.loads(again.stdout)["run"]) == (0, run)
    assert again.stderr.count("tensorboard cannot be written any more, training goes on without it") == 1
    assert "Traceback" not in again.stderr


def test_wrong_names_are_refused(oratory: Run, folder: Path, tmp_path: Path) -> None:
    for arguments, words in (
        (("train", "lm", "--data", folder, "--track", "tensorbord"), "Did you mean 'tensorboard'?"),
        (("export", "last", "--to", "onxx", "--runs", tmp_path), "There is no form 'onxx'. Did you mean 'onnx'?"),
        (("export", "last", "--to", "onnx", "--runs", tmp_path), "There is no run in"),
        (("export", "last"), "--to"),
    ):
        ran = oratory(*arguments)
        assert ran.returncode == 2
        assert words in ran.stderr
        assert "Traceback" not in ran.stderr
