"""`oratory train`, `score` and `generate` as they are used."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run as Oratory
from tests.execution.training import CLASSIFIER, LM, words, write_corpus
from tests.execution.training import run as in_a_child


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus")


def test_train_and_score_a_classifier(oratory: Oratory, corpus: Path, tmp_path: Path) -> None:
    arguments = ["--data", corpus, "--seed", "3", "--json", *words(CLASSIFIER)]
    done = oratory("train", "classifier", *arguments)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert done.stdout.count("\n}\n") == 1
    assert facts["run"].startswith("classifier-")
    assert facts["seed"] == 3
    assert facts["parameters"]["total"] > 1000
    assert {"accuracy", "accuracy_seen", "accuracy_unseen"} <= facts["test"].keys()
    assert [entry["epoch"] for entry in facts["epochs"]] == [1, 2, 3]
    for entry in facts["epochs"]:
        keys = ("epoch", "train_loss", "train_accuracy", "dev_accuracy", "test_accuracy", "seconds")
        assert all(isinstance(entry[key], int | float) for key in keys)
    assert "begins: 12 steps" in done.stderr
    assert done.stderr.count("\nepoch ") == 4
    again = oratory("train", "classifier", *arguments)
    assert f"{facts['run']} is finished already" in again.stderr
    assert json.loads(again.stdout) == facts


class Here:
    """Commands in children of this process, in one store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *arguments: Any, code: int = 0) -> str:
        given = [*map(str, arguments), "--runs", str(self.folder / "runs")]
        found, said = in_a_child(given, self.folder / "out")
        assert found == code, said
        return said

    def facts(self, *arguments: Any) -> Any:
        said = self(*arguments, "--json")
        return json.loads(said[said.index("{\n") :])


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


def test_a_language_model_from_training_to_use(here: Here, corpus: Path) -> None:
    facts = here.facts("train", "lm", "--data", corpus, *words(LM | {"position": "rope"}))
    assert facts["perplexity"].keys() == {"train", "a", "b"}
    assert [entry["iteration"] for entry in facts["history"]] == [0, 4, 8, 12]
    for entry in facts["history"]:
        assert {"iteration", "train", "a", "b"} <= entry.keys()
    last = facts["history"][-1]
    assert {name: last[name] for name in facts["perplexity"]} == facts["perplexity"]
    run = facts["run"]
    scored = here.facts("score", run, "We will go on.")
    assert scored["tokens"][:2] == ["We", "will"]
    assert len(scored["surprisal"]) == len(scored["tokens"])
    assert scored["perplexity"] > 1
    assert here.facts("score", "last", "--samples").keys() == {"normal", "weird", "long"}
    assert len(here.facts("score", "last", "We.", "Go on.")["texts"]) == 2
    assert here.facts("score", run, "--lengths")["perplexity"]["a"].keys() == {"8", "16", "32", "64"}
    assert here("generate", run, "We", "will", "--tokens", "3").lower().startswith("we will")
    assert here.facts("generate", run, "--seed", "1") == here.facts("generate", run, "--seed", "1")
    assert "Say what to score" in here("score", run, code=2)
    assert "There is nothing to score" in here("score", run, "", code=2)


def test_a_classifier_scores(here: Here, corpus: Path) -> None:
    run = here.facts("train", "classifier", "--data", corpus, *words(CLASSIFIER | {"train.keep": "last"}))
    assert all(entry["dev_accuracy"] is None for entry in run["epochs"])
    scored = here.facts("score", run["run"], "Freedom will prevail.")
    assert sum(scored["probabilities"].values()) == pytest.approx(1, abs=1e-5)
    assert "cannot continue a text" in here("generate", run["run"], code=2)
    assert "longer than its context" in here("score", run["run"], "--lengths", code=2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Say what to train, classifier, lm or mlm"),
        (["layers=2"], "'layers=2' is a setting; the task comes first"),
        (["poem"], "There is no task 'poem'"),
        (["lm", "train.lrr=1"], "Did you mean 'train.lr'?"),
        (["lm", "train.lr=-1"], "train.lr=-1.0: it must be above 0"),
        (["lm", "train.patience=2", "train.patience=3"], "is given twice"),
        (["lm", "train.epochs=2", "train.iterations=3"], "one must be given, not both"),
        (["lm", "train.truncate=4"], "say train.items=lines too"),
        (["classifier", "train.items=lines"], "is for language models"),
        (["lm", "train.device=moon"], "train.device=moon is not there; cpu always is"),
        (["--resume", "lm-nothing"], "There is no run 'lm-nothing'"),
        (["--resume", "last"], "that can continue"),
        (["lm", "--data", "nowhere"], "nowhere"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], said: str, here: Here, corpus: Path) -> None:
    data = [] if "--data" in arguments or "--resume" in arguments else ["--data", corpus]
    text = here("train", *arguments, *data, code=2)
    assert said in text
    assert text.startswith("oratory: ")
    assert text.count("\n") == 1
    assert not (here.folder / "runs").exists()


def test_a_dry_run_trains_nothing(here: Here, corpus: Path) -> None:
    facts = here.facts("train", "lm", "--data", corpus, "--dry-run", "layers=2")
    assert facts["config"]["layers"] == 2
    assert not (here.folder / "runs").exists()
