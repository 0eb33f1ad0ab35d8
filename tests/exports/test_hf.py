"""Fine-tuned runs: kept whole, used without the published model, and handed on to transformers."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from safetensors.torch import load_file

from oratory.api import finetune
from oratory.errors import Failed, InputError
from oratory.execution.resume import resume
from oratory.execution.train import train
from oratory.exports import hf as export
from oratory.exports.hf import export_hf
from oratory.exports.onnx import export_onnx
from oratory.model import Transformer
from oratory.runs import Interrupted, Run, RunListener
from oratory.text import Corpus, load_corpus
from oratory.training.events import Stepped
from oratory.training.origins.published.hf import HfClassifier
from tests.execution.training import write_corpus
from tests.training.finetuning import write_model

SMALL = {
    "context": "12",
    "train.batch": "5",
    "train.epochs": "3",
    "train.lr": "3e-3",
    "train.keep": "best",
    "train.threads": "1",
}
TEXTS = ["Yes, we can.", "God bless you all , and thank you", "we " * 30, "zounds"]
CASES = {
    "bert, hf": ("bert", {}),
    "bert, own": ("bert", {"engine": "own"}),
    "bert, lora": ("bert", {"lora": "2"}),
    "roberta, hf": ("roberta", {}),
    "roberta, own": ("roberta", {"engine": "own"}),
    "roberta, mean, hf": ("roberta", {"pool": "mean"}),
    "roberta, mean, own": ("roberta", {"pool": "mean", "engine": "own"}),
    "bert, mean, lora": ("bert", {"pool": "mean", "lora": "2"}),
    "distilbert": ("distilbert", {}),
    "distilbert, mean": ("distilbert", {"pool": "mean"}),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return load_corpus(str(write_corpus(tmp_path_factory.mktemp("corpus"))))


@pytest.fixture(scope="module")
def made(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Run]]:
    """A run of each case, whose published model is gone."""
    folder = tmp_path_factory.mktemp("made")
    for family in ("bert", "roberta", "distilbert"):
        write_model(folder / family, family)
    runs = {
        name: finetune(folder / family, corpus, SMALL | changes, 1, runs=folder / "runs")
        for name, (family, changes) in CASES.items()
    }
    for family in ("bert", "roberta", "distilbert"):
        (folder / family).rename(folder / f"{family}, away")
    yield {name: Run.read(run.folder) for name, run in runs.items()}
    shutil.rmtree(folder)


def ours(run: Run) -> np.ndarray[Any, Any]:
    return np.array([list(entry.to_dict()["probabilities"].values()) for entry in run.score(TEXTS)])


@pytest.mark.parametrize("name", CASES)
def test_a_run_is_used_without_the_published_model(made: dict[str, Run], name: str) -> None:
    run = made[name]
    assert run.verify() == []
    assert isinstance(run.model, HfClassifier if "distilbert" in name else Transformer)
    found = run.score(TEXTS)
    first, *_, last = found[0].tokens
    assert (first, last) == (("<s>", "</s>") if "roberta" in name else ("[CLS]", "[SEP]"))
    assert found[2].to_dict()["cut"] == 20
    assert len(found[2].tokens) == 12
    # What the run measured when it was trained, through the engine that trained it.
    items = run.items().to_pylist()
    corpus_texts = ["yes, we can.", "Freedom will prevail here.", "Thank you."]
    wanted = [item["probabilities"] for item in items if item["split"] == "test"]
    scored = [list(entry.to_dict()["probabilities"].values()) for entry in run.score(corpus_texts)]
    assert np.abs(np.subtract(scored, wanted)).max() < 1e-5


@pytest.mark.filterwarnings("ignore:.*sequential.*")
@pytest.mark.parametrize("name", CASES)
def test_transformers_loads_the_folder(made: dict[str, Run], name: str, tmp_path: Path) -> None:
    run = made[name]
    folder = export_hf(run, tmp_path / "model")
    assert folder.difference < 1e-5
    assert folder.needs_code == ("mean" in name)
    more = {"trust_remote_code": True} if folder.needs_code else {}
    pipe: Any = transformers.pipeline
    classify = pipe("text-classification", model=str(folder.path), device="cpu", **more)
    for text, wanted in zip(TEXTS, ours(run), strict=True):
        found = {entry["label"]: entry["score"] for entry in classify([text], truncation=True, top_k=None)[0]}
        assert [found[label] for label in run.labels] == pytest.approx(list(wanted), abs=1e-5)
    batched = classify(TEXTS, truncation=True, batch_size=4)
    assert [entry["label"] for entry in batched] == [entry.to_dict()["label"] for entry in run.score(TEXTS)]


def test_the_card_says_what_is_in_the_folder(made: dict[str, Run], tmp_path: Path) -> None:
    run = made["bert, own"]
    folder = export_hf(run, tmp_path / "model")
    card = (folder.path / "README.md").read_text()
    result = run.result["test"]
    row = next(line for line in card.splitlines() if line.startswith("| test"))
    for figure in ("accuracy", "accuracy_seen", "accuracy_unseen"):
        assert f"{100 * result[figure]:.1f}" in row
    assert "33.3% of the test texts stand in train" in card
    assert run.fingerprint in card
    assert "| train.lr | 0.003 |" in card
    assert 'base_model: "bert"' in card
    assert str(tmp_path.parent) not in card  # No folder of this machine.
    config = json.loads((folder.path / "config.json").read_text())
    assert config["id2label"] == {"0": "0", "1": "1"}
    assert config["architectures"] == ["BertForSequenceClassification"]
    assert not list(folder.path.glob("*.bin"))
    assert len(load_file(folder.path / "model.safetensors")["bert.embeddings.position_embeddings.weight"]) == 12


def test_folders_that_are_not_written(made: dict[str, Run], corpus: Corpus, tmp_path: Path) -> None:
    run = made["bert, hf"]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match="is not an empty folder"):
        export_hf(run, tmp_path / "full")
    with pytest.raises(InputError, match="is not an empty folder"):
        export_hf(run, tmp_path / "full" / "mine.txt")
    settings = {"layers": "1", "width": "8", "train.epochs": "1"}
    scratch = train("classifier", corpus, settings, runs=tmp_path / "runs")
    with pytest.raises(InputError, match="was trained from scratch"):
        export_hf(scratch, tmp_path / "scratch")
    assert not (tmp_path / "scratch").exists()


def test_a_folder_that_differs_is_said_to(
    made: dict[str, Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = export._named

    def other(run: Run, mean: bool, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        return named(run, mean, tensors) | {"classifier.bias": torch.tensor([0.1, 0.0])}

    monkeypatch.setattr(export, "_named", other)
    with pytest.raises(Failed, match="differ from the run's"):
        export_hf(made["bert, hf"], tmp_path / "model")


@pytest.mark.parametrize("name", ["bert, hf", "roberta, mean, own"])
def test_as_onnx(made: dict[str, Run], name: str, tmp_path: Path) -> None:
    assert export_onnx(made[name], tmp_path / "model.onnx").difference < 1e-4


def test_the_record_says_what_was_trained(made: dict[str, Run]) -> None:
    run = made["bert, lora"]
    facts = run.to_dict()
    assert [entry["epoch"] for entry in facts["epochs"]] == [1, 2, 3]
    for entry in facts["epochs"]:
        assert entry["test_accuracy"] is None
        assert entry["train_accuracy"] is not None
        assert entry["dev_accuracy"] is not None
        assert entry["dev_nats"] > 0
    assert facts["test"]["items"] == 3
    assert run.record.versions.keys() >= {"transformers", "peft"}
    assert facts["settings"]["lora"] == 2
    assert "transformers" not in made["bert, own"].record.versions


def test_a_run_that_was_stopped_goes_on(corpus: Corpus, tmp_path: Path) -> None:
    model = write_model(tmp_path / "bert", "bert")
    settings = SMALL | {"train.save_every": "0", "dropout": "0.1", "layer_decay": "0.9"}

    def until(step: int) -> RunListener:
        def listen(event: Any) -> None:
            if isinstance(event, Stepped) and event.step == step:
                raise Interrupted("enough")

        return listen

    whole = finetune(model, corpus, settings, runs=tmp_path / "whole")
    with pytest.raises(Interrupted):
        finetune(model, corpus, settings, runs=tmp_path / "runs", listen=until(6))
    again = resume(whole.id, runs=tmp_path / "runs", corpus=corpus)
    assert again.id == whole.id
    for name in ("model.safetensors", "metrics.jsonl"):
        assert (again.folder / name).read_bytes() == (whole.folder / name).read_bytes()
    (model / "tokenizer_config.json").write_text("{}")
    with pytest.raises(InputError, match="weights is "):
        resume(whole.id, runs=tmp_path / "runs", corpus=corpus)


def test_before_training(corpus: Corpus, tmp_path: Path) -> None:
    model = write_model(tmp_path / "roberta", "roberta")
    before = []
    for engine in ("hf", "own"):
        run = finetune(model, corpus, SMALL | {"engine": engine}, 2, runs=tmp_path / "runs")
        before.append(run.initial_model().state_dict())
    assert before[0].keys() == before[1].keys()
    assert all(torch.equal(value, before[1][name]) for name, value in before[0].items())
    shutil.rmtree(model)
    with pytest.raises(InputError, match="There is no folder"):
        run.initial_model()
