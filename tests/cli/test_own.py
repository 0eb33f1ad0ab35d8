"""Pretrain, then fine-tune: a run of one's own through every command that a run goes through."""

import json
import re
from pathlib import Path

import pytest

from oratory.api import compare, finetune, load_run, report, search
from oratory.reports.command import command_of
from tests.cli.test_train import Here
from tests.execution.training import LM, MLM, words, write_corpus

SHORT = ("train.epochs=2", "train.batch=5", "train.threads=1")
HELD = "The harvest was rich, and the barns were full of it, they say."


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    write_corpus(folder / "corpus")
    with (write_corpus(folder / "larger") / "train_LM.txt").open("a") as file:
        file.write(f"{HELD}\nA line of its own.\n")
    with (folder / "corpus" / "test_CLS.tsv").open("a") as file:
        file.write(f"0\t{HELD}\n")
    return folder


@pytest.fixture(scope="module")
def here(home: Path) -> Here:
    return Here(home)


@pytest.fixture(scope="module")
def pretrained(here: Here, home: Path) -> str:
    """The id of a masked model that has nothing of the test."""
    said = here("train", "mlm", "--data", home / "larger", "--without", home / "corpus", *words(MLM))
    assert "Left out of train:" in said
    assert "of 12 lines, which share 8 words in a row with dev or test of corpus" in said
    found = re.search(r"mlm-\w+", said)
    assert found is not None
    assert f"without={home / 'corpus'}" in str(load_run(found[0], home / "runs").record.corpus.source)
    return found[0]


@pytest.fixture(scope="module")
def tuned(here: Here, home: Path, pretrained: str) -> str:
    """The id of a classifier that started from it."""
    said = here("finetune", pretrained[:7], "--data", home / "corpus", "--seed", "1", *SHORT)
    assert f"It comes from the run {pretrained}, which learned from larger without corpus" in said
    assert "Of 4 test texts here, 0 share 8 words in a row with that." in said
    found = re.search(r"classifier-\w+", said)
    assert found is not None
    return found[0]


def test_it_is_a_run_like_any_other(here: Here, home: Path, pretrained: str, tuned: str) -> None:
    shown = " ".join(here("runs", "show", tuned).split())
    assert f"It comes from the run {pretrained}" in shown
    assert here.facts("runs", "show", tuned)["provenance"][0]["run"] == pretrained
    assert f"model=run:{pretrained}" in " ".join(here("runs", "list", "task=classifier", "--json").split())
    assert here.facts("score", tuned, "We will go on.")["label"] in ("0", "1")
    assert all(check["passed"] for check in here.facts("attend", tuned, "We will go on.")["checks"])
    here("report", tuned, "--out", home / "run.html")
    text = (home / "run.html").read_text()
    assert "Of 4 test texts here, 0 share" in text
    assert "oratory finetune" in text


def test_the_command_of_the_report_finds_the_same_run(here: Here, home: Path, tuned: str) -> None:
    import shlex

    command = shlex.split(command_of(load_run(tuned, home / "runs")))
    assert command[:2] == ["oratory", "finetune"]
    assert f"{tuned} is finished already" in here(*command[1:])


def test_a_language_model_from_a_language_model(here: Here, home: Path) -> None:
    first = here.facts("train", "lm", "--data", home / "corpus", *words(LM))["run"]
    asked = ("--task", "lm", "--data", home / "corpus", "dropout=0.2", "train.iterations=2", "train.threads=1")
    facts = here.facts("finetune", first, *asked)
    assert facts["run"].startswith("lm-")
    assert facts["settings"]["dropout"] == 0.2
    assert facts["perplexity"].keys() >= {"a", "b"}
    shown = here.facts("finetune", first, *asked, "--dry-run")
    assert shown["config"]["model"] == f"run:{first}"


def test_a_comparison_with_a_model_from_nothing(home: Path, pretrained: str, in_this_process: None) -> None:
    settings = dict(word.split("=") for word in SHORT)
    variants = ("layers=1 width=8 context=8", f"model={pretrained[:8]}")
    asked = {"corpus": home / "corpus", "seeds": 2, "settings": settings, "runs": home / "runs"}
    found = compare(*variants, **asked)  # type: ignore[arg-type]
    assert [variant.name for variant in found.variants] == [variants[0], f"model={pretrained}"]
    folder = (home / "runs" / pretrained).resolve()
    assert f"'model=run:{folder}'" in command_of(found) or f"model=run:{folder}" in command_of(found)
    report(found, home / "comparison.html")
    again = compare(variants[0], f"model=run:{folder}", **asked)  # type: ignore[arg-type]
    assert again.id == found.id


def test_a_search(home: Path, pretrained: str, in_this_process: None) -> None:
    pytest.importorskip("optuna")
    settings = dict(word.split("=") for word in SHORT) | {"model": pretrained}
    found = search(
        "freeze=none,all", corpus=home / "corpus", method="grid", seeds=1, settings=settings, runs=home / "runs"
    )
    assert [trial.settings["freeze"] for trial in found.trials] == ["none", "all"]
    assert f"--model run:{(home / 'runs' / pretrained).resolve()}" in command_of(found)


def test_onnx_of_a_causal_classifier(here: Here, home: Path) -> None:
    pytest.importorskip("onnxscript")
    onnx = pytest.importorskip("onnx")
    first = here.facts("train", "lm", "--data", home / "corpus", *words(LM))["run"]
    run = finetune(first, home / "corpus", dict(word.split("=") for word in SHORT), runs=home / "runs")
    here("export", run.id, "--to", "onnx", "--out", home / "model.onnx")
    made = onnx.load(home / "model.onnx")
    assert [given.name for given in made.graph.input] == ["input_ids", "attention_mask"], (
        "Its mean needs to know the padding."
    )
    found = {one.key: json.loads(one.value) for one in made.metadata_props}
    assert found["oratory.task"] == "classifier"


def test_what_is_refused(here: Here, home: Path, pretrained: str) -> None:
    corpus = ("--data", home / "corpus")
    holds = here.facts("train", "mlm", "--data", home / "larger", "--seed", "1", *words(MLM))["run"]
    said = here("finetune", holds, *corpus, code=2)
    assert "has learned from the test of corpus: 'The harvest was rich" in said
    assert "--without" in said
    assert "can start from a language model" in here("finetune", pretrained, "--task", "lm", *corpus, code=2)
    assert "cannot continue a text" in here("generate", pretrained, code=2)
    assert "width is that of the run" in here("finetune", pretrained, "width=9", *corpus, code=2)
    assert "positions of" in here("finetune", pretrained, "context=99", *corpus, code=2)
    assert "runs: " in here("finetune", "mlm", *corpus, code=2)
    assert "is not the folder of a run" in here("finetune", "run:nowhere", *corpus, code=2)
    assert "does not exist" in here("train", "mlm", *corpus, "--without", home / "nothing", code=2)
    assert "minilm" in here("finetune", "--help")
