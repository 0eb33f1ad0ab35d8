"""Every token is scored once, with the context it should have."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from oratory.inspect import lens_of
from oratory.mechanisms import TrainingText
from oratory.model import Transformer
from oratory.text import Corpus
from oratory.tokens import Encoded, encode_lm, train_tokenizer
from oratory.training.tasks import base
from oratory.training.tasks.lm.scores import LanguageScores, TextScores
from oratory.training.tasks.lm.surprisal import CausalWindows, opened, opening_of, predictions, surprisal

VOCABULARY = 11


def model(**changes: Any) -> Transformer:
    return Transformer(base("lm", VOCABULARY, layers=1, width=8, context=8, **changes), seed=1).eval()


@given(st.integers(2, 60), st.integers(1, 8), st.integers(1, 8))
def test_every_token_is_scored_once(size: int, context: int, stride: int) -> None:
    stride = min(stride, context)
    windows = CausalWindows.over(np.array([0, size]), context, stride)
    counts = np.zeros(size, int)
    for begin, length, scored in zip(windows.begins, windows.lengths, windows.scored, strict=True):
        assert length == min(context, size - 1)
        end = begin + length
        counts[end - scored + 1 : end + 1] += 1
    assert counts[0] == 0, "the opening is given"
    assert (counts[1:] == 1).all()


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 40), st.integers(1, 8), st.sampled_from(["learned", "alibi"]))
def test_nats_are_those_of_one_token_at_a_time(size: int, stride: int, position: str) -> None:
    """Brute force: each token with exactly the tokens that its window holds before it."""
    network = model(position=position)
    ids = np.random.default_rng(size).integers(0, VOCABULARY, size).astype(np.int32)
    windows = CausalWindows.over(np.array([0, size]), 8, stride)
    found = surprisal(network, ids, windows)
    assert np.isnan(found[0])
    for begin, length, scored in zip(windows.begins, windows.lengths, windows.scored, strict=True):
        for place in range(begin + length - scored + 1, begin + length + 1):
            before = torch.from_numpy(ids[begin:place].astype(np.int64))[None]
            with torch.no_grad():
                expected = -network(before).logits[0, -1].log_softmax(-1)[int(ids[place])]
            assert found[place] == pytest.approx(float(expected), abs=1e-4)


def test_a_shorter_stride_gives_more_context() -> None:
    windows = CausalWindows.over(np.array([0, 101]), 8, 2)
    assert windows.scored[0] == 8
    assert set(windows.scored[1:]) == {2}


def test_texts_are_scored_apart() -> None:
    network = model()
    one, other = np.arange(1, 7, dtype=np.int32), np.arange(6, 0, -1, dtype=np.int32)
    together = np.concatenate([one, other])
    found = surprisal(network, together, CausalWindows.over(np.array([0, 6, 12]), 8, 4))
    alone = [surprisal(network, part, CausalWindows.over(np.array([0, 6]), 8, 4)) for part in (one, other)]
    assert np.allclose(found, np.concatenate(alone), atol=1e-6, equal_nan=True)


def test_the_opening_is_the_usual_end_of_a_line(sotu: Corpus) -> None:
    tokenizer = train_tokenizer(sotu)
    encoded = encode_lm(sotu, tokenizer)
    assert tokenizer.token(opening_of(encoded["train"], tokenizer)) == "."
    wrapped = opened(encoded["train"], 7, tokenizer)
    assert (wrapped.ids[wrapped.starts[:-1]] == 7).all()
    special = train_tokenizer(sotu, "word(specials=<START>+<STOP>)")
    lines = encode_lm(sotu, special)["train"]
    assert special.token(opening_of(lines, special)) == "<START>"
    assert opened(lines, 0, special) is lines


def test_the_model_is_left_in_its_mode() -> None:
    network = model().train()
    surprisal(network, np.arange(5, dtype=np.int32), CausalWindows.over(np.array([0, 5]), 8, 4))
    assert network.training


def test_figures_of_a_text() -> None:
    text = TextScores(
        tokens=np.array([1, 2, 3], np.int32),
        nats=np.log(np.array([2.0, 8.0, 4.0], np.float32)),
        spelling=np.log(np.array([1.0, 16.0, 1.0], np.float32)),
        lines=np.array([0, 0, 1]),
        bytes=6,
        words=2,
        seen=np.array([True, True, False]),
    )
    facts = text.to_dict()
    assert facts["perplexity"] == pytest.approx(4)
    assert facts["perplexity_lines"] == pytest.approx((4 + 4) / 2)
    assert facts["perplexity_seen"] == pytest.approx(4)
    assert facts["perplexity_unseen"] == pytest.approx(4)
    assert facts["bits_per_byte"] == pytest.approx((1 + 3 + 2 + 4) / 6)
    assert facts["perplexity_per_word"] == pytest.approx(2**5)
    assert LanguageScores({"t": text}).items()["spelling"].to_pylist() == pytest.approx([0, np.log(16), 0])


def test_figures_that_are_no_number_are_none() -> None:
    one = np.ones(1, np.float32)
    text = TextScores(np.array([1], np.int32), 1e5 * one, np.array([0]), None, one, 1, 1)
    assert text.to_dict()["perplexity"] is None
    unknown = replace(text, nats=one, spelling=np.nan * one).to_dict()
    assert unknown["perplexity"] == pytest.approx(np.e)
    assert unknown["bits_per_byte"] is None
    assert unknown["perplexity_per_word"] is None


def test_encoded_lengths_may_be_zero() -> None:
    empty = Encoded(np.zeros(1, np.int32), np.zeros(1, np.int32), np.array([0, 1, 1]))
    assert len(CausalWindows.over(empty.starts, 8, 4).begins) == 0


HEADS = (
    *("linear", "mixture-of-softmaxes", "adaptive", "good-turing"),
    *("hybrid-cache", "hybrid-mixture", "hybrid-kneser-ney"),
)


@pytest.mark.parametrize("head", HEADS)
def test_whatever_the_head_expectations_surprisal_and_lens_agree(head: str) -> None:
    ids = np.random.default_rng(0).integers(0, VOCABULARY, 60).astype(np.int32)
    made = model(head=head)
    if made.counts_text:
        text = torch.from_numpy(ids.astype(np.int64))
        made.learn_from(TrainingText([text], [str(index) for index in range(VOCABULARY)]))
    windows = CausalWindows.over(np.array([0, 40, 60]), 8, 4)
    nats, expected = surprisal(made, ids, windows), predictions(made, ids, windows, VOCABULARY)
    for place in np.flatnonzero(~np.isnan(nats)):
        rank = int(np.flatnonzero(expected.ids[place] == ids[place])[0])
        assert -np.log(expected.probabilities[place, rank]) == pytest.approx(nats[place], abs=1e-5)
    with torch.no_grad():
        best = made(torch.tensor([ids[:8].tolist()])).logits[0].softmax(-1).amax(-1).tolist()
    read = lens_of(made, ids[:8].tolist()).cells[-1]
    assert [cell.guesses[0].probability for cell in read] == pytest.approx(best, abs=1e-6)
