"""Using a trained language model: surprisal of single texts, new text, and longer contexts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.model import generate
from oratory.tables import Table, Tabled, number
from oratory.text import Corpus
from oratory.text.normal import one_line
from oratory.tokens import START, STOP, Encoded, Tokenizer, encode_lm
from oratory.tokens.scoring import bits_per_byte, perplexity, predicted
from oratory.tokens.spelling import spelled
from oratory.training.running_text.scored import ScoredTokens, scored_tokens
from oratory.training.tasks.lm.metrics.perplexity import Perplexity
from oratory.training.tasks.lm.surprisal import CausalWindows, joined, opened, surprisal
from oratory.training.tasks.task import Trained


@dataclass(frozen=True)
class TextSurprisal(ScoredTokens):
    """The surprisal of every token of one text: -ln p of the token, given those before it."""

    bits_per_byte: float | None
    """With the spelling of what the tokens leave open; None where the tokenizer has learned none."""

    what = "surprisal"
    metric = Perplexity()

    @property
    def perplexity(self) -> float:
        return self.figure

    @property
    def summary(self) -> str:
        bits = "" if self.bits_per_byte is None else f", {self.bits_per_byte:.3f} bits per byte"
        return f"Perplexity {self.metric.show_value(self.figure)}{bits}."

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"bits_per_byte": self.bits_per_byte}

    def _note(self) -> str:
        if self.bits_per_byte is not None:
            return super()._note()
        why = "Bits per byte are not known: the tokenizer of this run has not learned to spell unknown text."
        return f"{super()._note()} {why}"


def surprise(run: Trained, line: str) -> TextSurprisal:
    """The surprisal of every token of one text."""
    text, windows = windowed(run, line)
    return surprise_of(run, line, text, surprisal(run.model, text.ids, windows))


def windowed(run: Trained, line: str) -> tuple[Encoded, CausalWindows]:
    """A text with its opening as ids, and the windows in which a run reads it."""
    text = opened(run.tokenizer.measure_lines([line]), run.facts["opening"], run.tokenizer)
    return text, CausalWindows.over(text.starts, run.config.context, run.facts["stride"])


def surprise_of(run: Trained, line: str, text: Encoded, nats: NDArray[np.floating[Any]]) -> TextSurprisal:
    """A text with its opening as ids, and the nats of each, as facts; whoever found the nats."""
    tokenizer = run.tokenizer
    encoded = tokenizer.measure_lines([line])
    scored = scored_places(text, nats, tokenizer)
    found = nats[scored].astype(np.float64)
    fields = scored_tokens(run, line, text.ids[scored], found)
    spelling = spelled([line], encoded, tokenizer)[predicted(encoded.ids, tokenizer)]
    bits = bits_per_byte(found, spelling, len(line.encode()) + 1)
    return TextSurprisal(**fields, bits_per_byte=bits if np.isfinite(bits) else None)


def scored_places(text: Encoded, nats: NDArray[np.floating[Any]], tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """Which ids of a text count: neither its opening nor what no window scores."""
    counts: NDArray[np.bool_] = predicted(text.ids, tokenizer) & ~np.isnan(nats)
    return counts


def continued(run: Trained, prompt: str = "", tokens: int = 50, **options: Any) -> str:
    """The prompt and its continuation; without a prompt, the text begins as the training texts do."""
    tokenizer = run.tokenizer
    before, ids = prompted(run, prompt)
    made = generate(run.model, before + ids, tokens, stop=tokenizer.find(STOP), **options)
    return tokenizer.decode(ids + made)


def prompted(run: Trained, prompt: str) -> tuple[list[int], list[int]]:
    """What stands before a prompt, and the prompt itself, as ids."""
    tokenizer = run.tokenizer
    ids = tokenizer.encode(one_line(prompt)) if prompt.strip() else []
    start = tokenizer.find(START)
    return [start] if start is not None else [] if ids else [int(run.facts["opening"])], ids


@dataclass(frozen=True)
class Extrapolation(Tabled):
    """Perplexity where the model sees more tokens at once than in training."""

    run: str
    context: int
    perplexity: Mapping[str, Mapping[int, float]]
    """By text, and by tokens seen at once."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "context": self.context,
            "perplexity": {k: dict(v) for k, v in self.perplexity.items()},
        }

    def tables(self) -> list[Table]:
        sizes = list(next(iter(self.perplexity.values())))
        columns = ("text", *(f"{size // self.context}x ({size})" for size in sizes))
        rows = tuple((name, *(number(found[size], 1) for size in sizes)) for name, found in self.perplexity.items())
        note = f"The model was trained on {self.context} tokens at once. Windows move on by half of their length."
        return [Table("Perplexity by tokens seen at once", columns, rows, note=note)]


def extrapolate(run: Trained, corpus: Corpus, factors: Sequence[int]) -> Extrapolation:
    """The test texts with several multiples of the training context, where the positions allow it."""
    if corpus.fingerprint != run.fingerprint:
        raise InputError(
            f"This corpus is not the one of the run {run.id}: its fingerprint is {corpus.fingerprint}, not "
            f"{run.fingerprint}."
        )
    config, tokenizer = run.config, run.tokenizer
    limit = config.longest
    if limit is not None and config.context * max(factors) > limit:
        raise InputError(
            f"The positions of the run {run.id} end at {limit} tokens; lengths beyond training need positions that "
            "have no end, such as rope, alibi or sinusoidal."
        )
    encoded = encode_lm(corpus, tokenizer)
    found: dict[str, dict[int, float]] = {}
    for name in corpus.need_lm().tests:
        text = opened(joined(encoded[name]), run.facts["opening"], tokenizer)
        found[name] = {size: _perplexity(run, text, size) for size in (factor * config.context for factor in factors)}
    return Extrapolation(run.id, config.context, found)


def _perplexity(run: Trained, text: Encoded, size: int) -> float:
    nats: NDArray[np.float32] = surprisal(run.model, text.ids, CausalWindows.over(text.starts, size, max(1, size // 2)))
    return perplexity(nats[predicted(text.ids, run.tokenizer) & ~np.isnan(nats)])
