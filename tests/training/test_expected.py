"""What a language model expects, against the model itself and against `generate`."""

import math

import numpy as np
import pytest
import torch

from oratory.errors import InputError
from oratory.training.tasks.lm.expected import beam, expected, next_token
from tests.inspect.small import SENTENCE, corpus, trained


def test_alternatives_go_with_the_surprisal() -> None:
    run = trained("decoder")
    line = " ".join([SENTENCE] * 3)  # Longer than the context, so that windows slide.
    found, scored = expected(run, line, 20), run.score(line)[0]
    assert found.text == scored
    for token, nats, rank, guesses in zip(scored.tokens, scored.surprisal, found.ranks, found.guesses, strict=True):
        shares = [guess.probability for guess in guesses]
        assert shares == sorted(shares, reverse=True)
        if rank <= len(guesses):
            assert guesses[rank - 1].probability == pytest.approx(math.exp(-nats), rel=1e-4)
            assert any(guess.text == token for guess in guesses)


@pytest.mark.parametrize("options", [{}, {"temperature": 0.5, "seed": 3}, {"top_k": 3, "seed": 5}, {"greedy": True}])
def test_single_steps_are_what_generate_draws(options: dict[str, float]) -> None:
    run, made = trained("decoder"), list[int]()
    for _ in range(30):  # Beyond the positions of the model, so that the context slides.
        step = next_token(run, "we will", made, 5, **options)
        made.append(step.token.id)
    assert step.text == run.generate("we will", 30, **options)
    with pytest.raises(InputError, match="out of range"):
        next_token(run, "we will", [10**6], 5)


def test_a_beam_as_wide_as_the_vocabulary_finds_the_best_of_all() -> None:
    run = trained("decoder")
    size = len(run.tokenizer)
    found = beam(run, "we will", [], size, 2)
    start = run.tokenizer.encode("we will")
    with torch.no_grad():
        first = run.model(torch.tensor([start])).logits[0, -1].softmax(-1)
        second = run.model(torch.tensor([[*start, index] for index in range(size)])).logits[:, -1].softmax(-1)
    whole = (first[:, None] * second).numpy()
    best = np.unravel_index(whole.argmax(), whole.shape)
    assert [token.id for token in found[0].tokens] == [int(index) for index in best]
    assert found[0].probability == pytest.approx(float(whole.max()), rel=1e-4)


def test_counts_score_a_text_as_the_baselines_do() -> None:
    run = trained("decoder")
    counted = run.task.counted(run, corpus())
    found = counted.alternatives(run, SENTENCE, 5)
    assert counted.name.startswith("kneser-ney-")
    assert found.text.tokens == run.score(SENTENCE)[0].tokens
    for token, nats, rank, guesses in zip(
        found.text.tokens, found.text.surprisal, found.ranks, found.guesses, strict=True
    ):
        if rank == 1:
            assert guesses[0].probability == pytest.approx(math.exp(-nats))
            assert token in {guess.text for guess in guesses}


@pytest.mark.parametrize("kind", ["encoder", "filler"])
def test_other_tasks_say_that_they_cannot(kind: str) -> None:
    run = trained(kind)
    for ask in (
        lambda: run.task.alternatives(run, SENTENCE, 5),
        lambda: run.task.next_token(run, SENTENCE, [], 5),
        lambda: run.task.beam(run, SENTENCE, [], 2, 2),
        lambda: run.task.counted(run, corpus()),
    ):
        with pytest.raises(InputError, match="which"):
            ask()
