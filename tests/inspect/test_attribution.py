"""Which tokens mattered: completeness, occlusion by brute force, and attention beside them."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import oratory as ora
from oratory.errors import InputError
from oratory.inspect import attribute
from oratory.runs import Run
from tests.execution.training import CLASSIFIER, LM, write_corpus
from tests.program import Program

TEXT = "We will go on, and our union is strong tonight."


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("data") / "corpus")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def run(corpus: Path, runs: Path) -> Run:
    settings = CLASSIFIER | {"context": "32", "train.epochs": "30", "train.lr": "0.01", "dropout": "0"}
    return ora.train("classifier", corpus, settings, 1, runs=runs)


def log_odds(run: Run, ids: torch.Tensor, label: str) -> float:
    with torch.no_grad():
        shares = run.model(ids).logits[0].double().softmax(-1)
    share = shares[run.labels.index(label)]
    return float(torch.log(share) - torch.log1p(-share))


def test_gradients_sum_to_the_difference_of_outputs(run: Run) -> None:
    for text in (TEXT, "Freedom will prevail.", "Thank you all, and God bless you."):
        found = attribute(run, text)
        total = sum(each.gradients for each in found.tokens)
        ids = torch.tensor([run.tokenizer.encode(text)])
        unknown = torch.full_like(ids, run.tokenizer.unk_id or 0)
        expected = log_odds(run, ids, found.label) - log_odds(run, unknown, found.label)
        assert expected == pytest.approx(found.log_odds - found.reference, abs=1e-4)
        assert abs(expected) > 0.1, "there is something to explain"
        assert total == pytest.approx(expected, abs=0.03 * abs(expected) + 0.01)
        assert found.gap == pytest.approx(total - expected, abs=1e-4)


def test_more_steps_miss_less(run: Run) -> None:
    few, many = (abs(attribute(run, TEXT, steps=steps).gap) for steps in (4, 512))
    assert many < few
    assert many < 0.01


def test_occlusion_is_one_token_less(run: Run) -> None:
    found = attribute(run, TEXT, "0")
    ids = torch.tensor([run.tokenizer.encode(TEXT)])
    assert len(found.tokens) == ids.shape[1]
    for place, each in enumerate(found.tokens):
        without = ids.clone()
        without[0, place] = run.tokenizer.unk_id or 0
        assert each.occlusion == pytest.approx(log_odds(run, ids, "0") - log_odds(run, without, "0"), abs=1e-4)


def test_two_classes_are_each_other_with_another_sign(run: Run) -> None:
    zero, one = (attribute(run, TEXT, label) for label in ("0", "1"))
    for left, right in zip(zero.tokens, one.tokens, strict=True):
        assert left.gradients == pytest.approx(-right.gradients, abs=1e-4)
        assert left.attention == right.attention
    assert zero.probability + one.probability == pytest.approx(1)


def test_attention_is_the_mean_of_the_maps_and_something_else(run: Run) -> None:
    found = attribute(run, TEXT)
    received = ora.attend(run, TEXT).weights.mean((0, 1, 2))
    np.testing.assert_allclose([each.attention for each in found.tokens], received, atol=1e-6)
    assert sum(each.attention for each in found.tokens) == pytest.approx(1)
    assert any(each.gradients < 0 for each in found.tokens), "attention is never negative"


def test_the_model_is_as_it_was(run: Run) -> None:
    before = [run.score(TEXT)[0].probabilities]
    table = run.model.tokens
    attribute(run, TEXT)
    assert run.model.tokens is table
    assert all(parameter.grad is None for parameter in run.model.parameters())
    assert [run.score(TEXT)[0].probabilities] == before


def test_what_cannot_be_explained_is_a_sentence(
    run: Run, corpus: Path, runs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="label 'x'"):
        attribute(run, TEXT, "x")
    with pytest.raises(InputError, match="empty"):
        attribute(run, " ")
    with pytest.raises(InputError, match="no classifier"):
        attribute(ora.train("lm", corpus, LM, runs=runs), TEXT)
    monkeypatch.setattr("oratory.inspect.attribution.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'oratory\[web\]'"):
        attribute(run, TEXT)


def test_score_says_why(run: Run, runs: Path, program: Program) -> None:
    done = program("score", run.id, TEXT, "--why", "--json", "--runs", runs, cwd=runs)
    said, facts = json.loads(done.stdout), attribute(run, TEXT).to_dict()
    assert (said["label"], said["log_odds"]) == (facts["label"], pytest.approx(facts["log_odds"], abs=1e-4))
    assert [each["gradients"] for each in said["tokens"]] == pytest.approx(
        [each["gradients"] for each in facts["tokens"]], abs=1e-4
    )
    refused = program("score", run.id, "--lengths", "--why", "--runs", runs, cwd=runs)
    assert (refused.returncode, "--why explains single texts" in refused.stderr) == (2, True)
