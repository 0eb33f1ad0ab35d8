"""Odd surroundings: an environment that says nonsense, names that are not UTF-8, and files of other users."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from oratory.tokens.words import split
from tests.cli.conftest import Run
from tests.execution.training import CLASSIFIER, LM, fork, free_port, quick, run, wait_for, words, write_corpus
from tests.program import ended, tell
from tests.training.finetuning import write_model

NOBODY = 65534


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"WORLD_SIZE": "abc"}, "WORLD_SIZE in the environment is 'abc'; torchrun sets it to a number"),
        ({"WORLD_SIZE": "0"}, "WORLD_SIZE in the environment is '0'"),
        ({"WORLD_SIZE": "-1"}, "WORLD_SIZE in the environment is '-1'"),
        ({"WORLD_SIZE": "2", "RANK": "x", "MASTER_ADDR": "a", "MASTER_PORT": "1"}, "RANK in the environment is 'x'"),
        ({"WORLD_SIZE": "9" * 5000}, f"WORLD_SIZE in the environment is '{'9' * 40}'…; torchrun sets it"),
        (
            {"WORLD_SIZE": "2", "RANK": "2", "MASTER_ADDR": "a", "MASTER_PORT": "1"},
            "RANK=2 in the environment must be below WORLD_SIZE=2",
        ),
        ({"WORLD_SIZE": "2"}, "but RANK and MASTER_ADDR and MASTER_PORT are not set; start them with torchrun"),
        ({"WORLD_SIZE": "2", "RANK": "0"}, "but MASTER_ADDR and MASTER_PORT are not set"),
    ],
)
def test_processes_that_were_not_started(
    place: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], said: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    arguments = ["train", "classifier", *words(CLASSIFIER), "--data", str(place / "corpus"), "--runs", str(place / "w")]
    code, text = run(arguments, place / "out")
    assert code == 2
    assert said in text
    assert text.count("\n") == 1


def test_others_who_do_not_come(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = {"WORLD_SIZE": "2", "RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    for name, value in address.items():
        monkeypatch.setenv(name, value)
    arguments = ["train", "classifier", *words(CLASSIFIER), "--data", str(place / "corpus"), "--runs", str(place / "w")]
    child = fork(arguments, place / "out")
    try:
        wait_for(f"Waiting for all 2 processes to meet at 127.0.0.1:{address['MASTER_PORT']}", place / "out")
    finally:
        tell(child, signal.SIGKILL)
        ended(child)


def test_names_that_are_not_utf8(oratory: Run, tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "corpus")
    folder.rename(tmp_path / "corpus\udcff")
    for arguments in (["data", "show"], ["audit"], ["baselines"], ["train", "classifier", "--data"]):
        ran = oratory(*arguments, tmp_path / "corpus\udcff")
        assert ran.returncode == 2, ran.stderr
        assert "corpus\\udcff has a name that is not UTF-8; rename it." in ran.stderr
        assert ran.stderr.count("\n") == 1


def test_a_message_about_a_name_is_short(oratory: Run, tmp_path: Path) -> None:
    corpus, model = write_corpus(tmp_path / "corpus"), write_model(tmp_path / "model")
    model.rename(tmp_path / "model\udcff")
    chosen = f"tokenizer=pretrained:{tmp_path / 'model'}\udcff"
    ran = oratory("train", "lm", *words(LM), chosen, "--data", corpus, "--runs", tmp_path / "runs")
    assert ran.returncode == 2, ran.stderr
    assert "udcff" in ran.stderr
    assert len(ran.stderr) < 500
    assert ran.stderr.count("\n") == 1


@pytest.fixture
def shared(tmp_path: Path) -> Iterator[Path]:
    """A folder that every user reaches, with a corpus and a store of two runs, of which this user owns all."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    folder = quick(tmp_path)
    folder.chmod(0o755)
    write_corpus(folder / "corpus")
    for seed in ("0", "1"):
        arguments = ["train", "classifier", *words(CLASSIFIER), "--seed", seed, "--data", str(folder / "corpus")]
        assert run([*arguments, "--runs", str(folder / "runs")], folder / "out")[0] == 0
    (folder / "out").chmod(0o666)
    yield folder
    shutil.rmtree(folder)


def _become_nobody() -> None:
    """Give up all rights, but only when the rules of words are loaded: nobody may read the library that has them."""
    split("We the People.")
    os.setuid(NOBODY)


def test_files_of_other_users(shared: Path) -> None:
    closed, open_ = sorted((shared / "runs").glob("classifier-*"))
    for path in [shared / "runs", *(shared / "runs").rglob("*"), *(shared / "corpus").rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    for path in (closed, open_ / "model.safetensors", shared / "corpus" / "train_CLS.tsv"):
        path.chmod(0)
    (shared / "runs" / "comparisons").mkdir(mode=0)

    def say(*arguments: str) -> tuple[int, str]:
        code, text = run([*arguments, "--runs", str(shared / "runs")], shared / "out", _become_nobody)
        assert text.count("\n") >= 1
        return code, text

    code, text = say("runs", "list")
    assert code == 0
    assert open_.name in text
    assert f"{closed.name}   closed" in text
    assert say("runs", "show", open_.name)[0] == 0
    for arguments in (
        ("runs", "show", closed.name),
        ("runs", "rm", open_.name, "--yes"),
        ("score", open_.name, "Yes, we can."),
        ("report", closed.name),
        ("train", "--resume", closed.name),
        ("train", "classifier", *words(CLASSIFIER), "--seed", "2", "--data", str(shared / "corpus")),
    ):
        code, text = say(*arguments)
        assert code == 2, text
        assert "runs rm removes it" not in text
        assert "ermi" in text or "may not" in text, text  # Permission denied, no permission, not permitted.
        assert text.count("\n") == 1
