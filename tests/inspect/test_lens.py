"""The logit lens against the model itself; maps by words; snapshots along training."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from oratory.errors import InputError
from oratory.inspect import attend, lens_of
from oratory.inspect.subject import subject_of
from oratory.inspect.words import Words, words_of
from oratory.model import Transformer
from oratory.training.tasks import base
from tests.inspect.small import SENTENCE, corpus, trained


@pytest.mark.parametrize("kind", ["decoder", "window", "filler", "shift"])
def test_the_last_layer_predicts_what_the_model_does(kind: str) -> None:
    run = trained(kind)
    found = lens_of(run, SENTENCE, guesses=3)
    ids, _ = subject_of(run).encode(SENTENCE)
    with torch.no_grad():
        expected = run.model(torch.tensor([ids])).logits[0].softmax(-1)
    assert found.layers == ("embedding", *(f"layer {layer}" for layer in range(run.config.layers)))
    assert len(found.cells) == run.config.layers + 1
    for place, cell in enumerate(found.cells[-1]):
        values, indices = expected[place].topk(3)
        assert [guess.id for guess in cell.guesses] == indices.tolist()
        assert [guess.probability for guess in cell.guesses] == pytest.approx(values.tolist(), abs=1e-5)
        right = (
            ids[place + 1] if run.config.causal and place + 1 < len(ids) else None if run.config.causal else ids[place]
        )
        assert (None if cell.right is None else cell.right.id) == right
        if cell.right is not None:
            assert cell.right.probability == pytest.approx(float(expected[place, right]), abs=1e-5)


def test_an_early_layer_is_a_shorter_model() -> None:
    """Without its second block, the model is what the lens reads after the first."""
    run = trained("decoder")
    short = run.load_model()
    short.blocks, short.config = short.blocks[:1], replace(short.config, layers=1)
    ids, _ = subject_of(run).encode(SENTENCE)
    with torch.no_grad():
        expected = short(torch.tensor([ids])).logits[0].softmax(-1).amax(-1)
    found = lens_of(run, SENTENCE)
    assert [cell.guesses[0].probability for cell in found.cells[1]] == pytest.approx(expected.tolist(), abs=1e-5)


def test_the_lens_of_a_classifier_is_of_the_whole_text() -> None:
    run = trained("encoder")
    found = lens_of(run, SENTENCE)
    assert found.places == ("the whole text",)
    scored = run.score(SENTENCE)[0].to_dict()
    best = found.cells[-1][0].guesses[0]
    assert best.probability == pytest.approx(max(scored["probabilities"].values()), abs=1e-5)
    assert found.tables()[0].rows[0][0] == "the whole text"


def test_places_and_models_without_a_head() -> None:
    some = lens_of(trained("decoder"), SENTENCE, places=range(2, 5))
    whole = lens_of(trained("decoder"), SENTENCE)
    assert some.places == whole.places[2:5]
    for cell, same in zip(some.cells[1], whole.cells[1][2:5], strict=True):
        assert [guess.id for guess in cell.guesses] == [guess.id for guess in same.guesses]
        assert [guess.probability for guess in cell.guesses] == pytest.approx(
            [guess.probability for guess in same.guesses]
        )
    encoder = Transformer(base("classifier", 11, output="vectors", classes=0, layers=1, width=8), 0)
    with pytest.raises(InputError, match="has no head"):
        lens_of(encoder, [1, 2, 3])


def test_a_map_by_words_means_over_queries_and_sums_over_keys() -> None:
    weights = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]], np.float32)
    found = Words(("ab", "c"), (0, 2)).of_map(weights)
    np.testing.assert_allclose(found, np.array([[1, 0], [0.5, 0.5]]))


def test_words_of_pieces(tmp_path: Path) -> None:
    from oratory.execution.train import train

    small = {"layers": "1", "width": "8", "context": "64", "train.iterations": "2", "tokenizer": "char"}
    run = train("lm", corpus(), small, runs=tmp_path)
    text = "we will stand, today"
    subject = subject_of(run)
    ids, _ = subject.encode(text)
    words = words_of(subject, text, ids)
    assert words.texts == ("we", "will", "stand", ",", "today")
    maps = attend(run, text)
    np.testing.assert_allclose(words.of_map(maps.weights[0, 0]).sum(-1), 1, atol=1e-5)
    by_word = words_of(subject_of(trained("decoder")), SENTENCE, subject_of(trained("decoder")).encode(SENTENCE)[0])
    assert by_word.texts == tuple(SENTENCE.split())


def test_snapshots_change_nothing_and_are_the_model_on_its_way(tmp_path: Path) -> None:
    from oratory.execution.train import train
    from oratory.runs.record import MODEL

    small = {"layers": "1", "width": "8", "context": "8", "train.iterations": "9"}
    plain = train("lm", corpus(), small, runs=tmp_path / "plain")
    kept = train("lm", corpus(), small | {"train.snapshots": "2"}, runs=tmp_path / "kept")
    assert kept.id == plain.id
    assert (kept.folder / MODEL).read_bytes() == (plain.folder / MODEL).read_bytes()
    assert (kept.snapshots, plain.snapshots) == ((3, 6), ())
    short = train("lm", corpus(), small | {"train.iterations": "3"}, runs=tmp_path / "short")
    for one, two in zip(kept.snapshot(3).parameters(), short.model.parameters(), strict=True):
        assert torch.equal(one, two)
    assert not kept.verify()
    with pytest.raises(InputError, match="weights are kept of 3, 6"):
        kept.snapshot(4)
    subject = subject_of(kept)
    np.testing.assert_array_equal(attend(subject.at_step(0), SENTENCE).weights, _before(kept))
    assert subject.at_step(9) is subject
    # What the model says of the text is said by the weights of the step, too.
    for step, model in ((0, kept.initial_model()), (3, short.model)):
        scored = kept.with_model(model).score(SENTENCE)[0].perplexity
        assert attend(subject.at_step(step), SENTENCE).answer == f"Its perplexity of this text: {scored:,.1f}."
    assert kept.score(SENTENCE)[0].perplexity == short.with_model(kept.model).score(SENTENCE)[0].perplexity
    assert short.score(SENTENCE)[0].perplexity != kept.score(SENTENCE)[0].perplexity
    with pytest.raises(InputError, match=r"train\.snapshots=8"):
        plain.snapshot(3)


def _before(run: object) -> object:
    found = attend(run, SENTENCE, before=True).before  # type: ignore[arg-type]
    assert found is not None
    return found.weights
