"""`oratory finetune`, and what can be done with such a run."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run, result
from tests.execution.training import write_corpus
from tests.training.finetuning import write_model

SMALL = ("context=12", "train.batch=5", "train.epochs=2", "train.threads=1")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("here")
    write_corpus(folder / "corpus")
    write_model(folder / "bert", "bert", ("good", "bad"))
    return folder


def test_from_training_to_a_folder_for_others(oratory: Run, here: Path) -> None:
    tune = ("finetune", "bert", *SMALL, "--data", "corpus", "--seed", "3", "--json")
    ran = oratory(*tune, cwd=here)
    facts = result(ran)
    assert (facts["task"], facts["seed"], facts["status"]) == ("classifier", 3, "finished")
    assert [entry["test_accuracy"] for entry in facts["epochs"]] == [None, facts["test"]["accuracy"]]
    assert facts["test"]["items"] == 3
    assert facts["settings"]["model"] == str(here / "bert")
    assert "is for good, bad; for 0, 1 it begins anew" in ran.stderr
    again = oratory(*tune, cwd=here)
    assert result(again) == facts
    assert "is finished already" in again.stderr
    scored = result(oratory("score", facts["run"], "Yes, we can.", "--json", cwd=here))
    assert scored["tokens"] == ["[CLS]", "yes", ",", "we", "can", ".", "[SEP]"]
    folder = result(oratory("export", facts["run"], "--to", "hf", "--out", "mine", "--json", cwd=here))
    assert folder["difference"] < 1e-5
    assert sorted(path.name for path in (here / "mine").iterdir()) == sorted(folder["files"])


def test_settings_may_stand_first(oratory: Run, here: Path) -> None:
    words = ("finetune", "lora=0", "--engine", "own", "--data", "corpus", "--dry-run", "--json")
    planned = result(oratory(*words, cwd=here))
    assert planned["config"]["model"] == "minilm"
    assert planned["config"]["engine"] == "own"
    assert planned["parameters"]["total"] > 2e7


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("bert", "layers=2"), "layers is that of the published model and cannot be chosen"),
        (("bert", "model=bert"), "There is no setting 'model'"),
        (("bert", "--engine", "theirs"), "There is no engine 'theirs'"),
        (("bert", "engine=hf", "--engine", "own"), "given twice"),
        (("no such model",), "There is no folder no such model"),
        (("bert", "context=99"), "context=99 is too long"),
        (("--resume", "last"), "There is no run in none that can continue"),
    ],
)
def test_bad_input_is_one_sentence(oratory: Run, here: Path, words: tuple[str, ...], sentence: str) -> None:
    ran = oratory("finetune", *words, "--data", "corpus", "--runs", "none", "--json", cwd=here)
    assert ran.returncode == 2, ran.stderr
    assert ran.stdout == ""
    assert sentence in ran.stderr
    assert "Traceback" not in ran.stderr
    assert not list((here / "none").glob("*/run.json"))
