"""What a language model expects: in place of the tokens of a text, and after its end."""

from collections.abc import Sequence
from typing import Any

import torch

from oratory.errors import InputError
from oratory.model.generation import draw_at, next_logits
from oratory.tokens import STOP
from oratory.training.running_text.guess import Beam, ExpectedTokens, Guess, NextToken
from oratory.training.tasks.lm.surprisal import predictions, surprisal
from oratory.training.tasks.lm.use import prompted, scored_places, surprise_of, windowed
from oratory.training.tasks.task import Trained


def expected(run: Trained, line: str, most: int) -> ExpectedTokens:
    """Every token of a text, with its surprisal and the most probable tokens in its place."""
    text, windows = windowed(run, line)
    nats = surprisal(run.model, text.ids, windows)
    found = predictions(run.model, text.ids, windows, most)
    scored = scored_places(text, nats, run.tokenizer)
    guesses = tuple(
        tuple(_guess(run, int(index), float(p)) for index, p in zip(ids, probabilities, strict=True))
        for ids, probabilities in zip(found.ids[scored], found.probabilities[scored], strict=True)
    )
    ranks = tuple(int(rank) for rank in found.ranks[scored])
    return ExpectedTokens(surprise_of(run, line, text, nats), ranks, guesses)


def next_token(
    run: Trained, prompt: str, made: Sequence[int], most: int, temperature: float = 1.0, **options: Any
) -> NextToken:
    """The token that `oratory generate` would draw after the prompt and what it has made so far."""
    before, ids = prompted(run, prompt)
    made = run.tokenizer.check_ids(made)
    [logits] = next_logits(run.model, [[*before, *ids, *made]])
    chosen = draw_at(logits, len(made), temperature=temperature, **options)
    probabilities = (logits / temperature).softmax(-1)
    best = probabilities.topk(min(most, len(probabilities)))
    return NextToken(
        token=_guess(run, chosen, float(probabilities[chosen])),
        guesses=tuple(_guess(run, int(i), float(p)) for i, p in zip(best.indices, best.values, strict=True)),
        text=run.tokenizer.decode([*ids, *made, chosen]),
        ends=chosen == run.tokenizer.find(STOP),
    )


def beam(run: Trained, prompt: str, made: Sequence[int], width: int, ahead: int) -> list[Beam]:
    """Beam search: of all ways to go on by one token more, the most probable `width` are kept, `ahead` times.

    A way that ends the text stays as it is.
    """
    if width < 1 or ahead < 1:
        raise InputError(f"A beam of {width} ways and {ahead} tokens is none; both must be at least 1.")
    before, ids = prompted(run, prompt)
    start, stop = [*before, *ids, *run.tokenizer.check_ids(made)], run.tokenizer.find(STOP)
    ways: list[tuple[float, list[int], list[float]]] = [(0.0, [], [])]
    for _ in range(ahead):
        open_ways = [way for way in ways if not way[1] or way[1][-1] != stop]
        if not open_ways:
            break
        logs = next_logits(run.model, [[*start, *way[1]] for way in open_ways]).log_softmax(-1)
        best = logs.topk(min(width, logs.shape[-1]), -1)
        longer = [
            (total + float(log), [*tokens, int(index)], [*shares, float(torch.exp(log))])
            for (total, tokens, shares), indices, values in zip(open_ways, best.indices, best.values, strict=True)
            for index, log in zip(indices, values, strict=True)
        ]
        ended = [way for way in ways if way[1] and way[1][-1] == stop]
        ways = sorted([*longer, *ended], key=lambda way: -way[0])[:width]
    return [
        Beam(tuple(_guess(run, i, p) for i, p in zip(tokens, shares, strict=True)), float(torch.tensor(total).exp()))
        for total, tokens, shares in ways
    ]


def _guess(run: Trained, index: int, probability: float) -> Guess:
    return Guess(run.tokenizer.token(index), probability, index)
