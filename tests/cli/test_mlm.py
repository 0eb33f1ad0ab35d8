"""A masked language model through every command that a run goes through."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from oratory.api import compare, report, search
from oratory.errors import InputError
from tests.cli.test_train import Here
from tests.execution.training import MLM, words, write_corpus


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mlm")
    write_corpus(folder / "corpus")
    return folder


@pytest.fixture(scope="module")
def here(home: Path) -> Here:
    return Here(home)


@pytest.fixture(scope="module")
def run(here: Here, home: Path) -> str:
    """The id of a finished run."""
    facts = here.facts("train", "mlm", "--data", home / "corpus", "--seed", "3", *words(MLM))
    assert facts["pseudo_perplexity"].keys() == {"train", "a", "b"}
    assert "perplexity" not in facts
    assert [entry["iteration"] for entry in facts["history"]] == [0, 4, 8, 12]
    assert facts["settings"]["train.mask"] == 0.3
    assert facts["settings"]["tokenizer"] == "word(specials=<mask>)"
    return str(facts["run"])


def test_lists_and_tables(here: Here, run: str) -> None:
    assert run.startswith("mlm-")
    said = here("runs", "show", run)
    assert "Pseudo-perplexity after 12 updates" in said
    assert "Not comparable with perplexity" in " ".join(said.split())
    listed = here("runs", "list", "task=mlm", "pseudo_perplexity>1", "--sort", "pseudo_perplexity")
    assert "Masked language models" in listed
    assert "pseudo-perplexity" in listed
    assert here.facts("runs", "list", "perplexity>1")["runs"] == []


def test_a_dry_run(here: Here, home: Path) -> None:
    facts = here.facts("train", "mlm", "--data", home / "corpus", "--dry-run", "train.mask=0.4", "train.whole_words=on")
    assert facts["config"]["train.mask"] == 0.4
    assert facts["config"]["train.whole_words"] is True


def test_scores(here: Here, home: Path, run: str) -> None:
    scored = here.facts("score", run, "We will go on, and zounds we will go on together in this world.")
    assert scored["tokens"][:2] == ["We", "will"]
    assert len(scored["pseudo_surprisal"]) == len(scored["tokens"]) > 8
    assert scored["pseudo_perplexity"] == pytest.approx(np.exp(np.mean(scored["pseudo_surprisal"])))
    assert scored["unknown"] == 1
    assert "perplexity" not in scored
    assert "each token masked alone" in here("score", run, "We will.", "--out", home / "picture.svg")
    assert "<svg" in (home / "picture.svg").read_text()
    assert here.facts("score", run, "--samples").keys() == {"normal", "weird", "long"}
    assert "cannot continue a text" in here("generate", run, code=2)
    assert "has no figure for texts longer than its context" in here("score", run, "--lengths", code=2)


def test_maps(here: Here, home: Path, run: str) -> None:
    facts = here.facts("attend", run, "We will go on.", "--heads", "--out", home / "maps.html")
    assert facts["task"] == "mlm"
    assert all(check["passed"] for check in facts["checks"])
    assert len(here.facts("attend", run, "--ablate")["ablation"]["heads"]) == 2


def test_reports(here: Here, home: Path, run: str) -> None:
    here("report", run, "--out", home / "run.html")
    text = (home / "run.html").read_text()
    assert "masked once" in text
    assert "oratory train mlm" in text


def test_comparisons(home: Path, in_this_process: None) -> None:
    asked: dict[str, Any] = {"task": "mlm", "corpus": home / "corpus", "seeds": 2, "runs": home / "runs"}
    asked["settings"] = {name: value for name, value in MLM.items() if name != "layers"}
    facts = compare("layers=1", "layers=2", **asked)
    assert facts.metric.name == "pseudo-perplexity"
    assert facts.baselines.keys() == {"unigram", "neighbours"}
    assert facts.baselines["neighbours"].keys() == {"a", "b", "all", "seen lines", "unseen lines"}
    assert facts.variants[0].parts.keys() == {"a", "b", "all", "seen lines", "unseen lines"}
    assert facts.verdict_table().columns[2] == "pseudo-perplexity"
    report(facts.id, home / "comparison.html", home / "runs")
    text = (home / "comparison.html").read_text()
    assert "neighbours" in text
    assert not re.search(r"(?<!pseudo-)\bperplexity", text, re.IGNORECASE)
    by_nats = compare("layers=1", "layers=2", metric="nats-per-masked-token", **asked)
    assert by_nats.metric.name == "nats per masked token"
    assert by_nats.variants[0].whole.estimate.mean == pytest.approx(facts.variants[0].whole.estimate.mean)
    with pytest.raises(InputError, match="pseudo-perplexity of runs with different tokenizers cannot be compared"):
        compare("tokenizer=word", "tokenizer=char", **asked)


def test_a_search(home: Path, in_this_process: None) -> None:
    pytest.importorskip("optuna")
    shared = {name: value for name, value in MLM.items() if name != "train.mask"}
    corpus = home / "corpus"
    found = search(
        "train.mask=0.15,0.4", task="mlm", corpus=corpus, method="grid", seeds=1, settings=shared, runs=home / "runs"
    )
    assert found.metric.name == "nats per masked token"
    assert [trial.settings["train.mask"] for trial in found.trials] == ["0.15", "0.4"]
    assert found.test is not None
    report(found, home / "search.html")


def test_onnx(here: Here, home: Path, run: str) -> None:
    pytest.importorskip("onnxscript")
    onnx = pytest.importorskip("onnx")
    here("export", run, "--to", "onnx", "--out", home / "model.onnx")
    found = {one.key: json.loads(one.value) for one in onnx.load(home / "model.onnx").metadata_props}
    assert found["oratory.task"] == "mlm"
