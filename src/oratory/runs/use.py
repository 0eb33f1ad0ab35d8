"""Using what was trained: probabilities, surprisal, and new text."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.batches import LabelledItems
from oratory.errors import InputError
from oratory.model import generate as continue_ids
from oratory.runs.record import Run
from oratory.tables import Table, Tabled, number, percent, shortened
from oratory.text import Corpus
from oratory.text.corpus import one_line
from oratory.tokens import START, STOP, Encoded, encode_lm
from oratory.tokens.scoring import bits_per_byte, perplexity, predicted
from oratory.training.surprisal import cover, joined, opened, surprisal
from oratory.training.tasks import probabilities

FACTORS = (1, 2, 4, 8)
"""Multiples of the training context."""
TITLE = 80
"""Characters of a text above its table."""


@dataclass(frozen=True)
class TextSurprisal(Tabled):
    """What a language model makes of one text: -ln p of each token, given those before it."""

    run: str
    text: str
    tokens: tuple[str, ...]
    surprisal: tuple[float, ...]
    unknown: int
    """Tokens that stand for text which is not in the vocabulary."""
    bits_per_byte: float

    @property
    def perplexity(self) -> float:
        return perplexity(np.array(self.surprisal, np.float64))

    def to_dict(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "text": self.text,
            "tokens": list(self.tokens),
            "surprisal": list(self.surprisal),
            "perplexity": self.perplexity,
            "bits_per_byte": self.bits_per_byte,
            "unknown": self.unknown,
        }

    def tables(self) -> list[Table]:
        rows = tuple((token, number(value, 2)) for token, value in zip(self.tokens, self.surprisal, strict=True))
        note = f"Perplexity {number(self.perplexity, 1)}, {self.bits_per_byte:.3f} bits per byte."
        if self.unknown:
            note += f" {self.unknown} of {len(self.tokens)} tokens are unknown text."
        return [Table(shortened(self.text, TITLE), ("token", "surprisal, nats"), rows, note=note)]


@dataclass(frozen=True)
class TextClass(Tabled):
    """What a classifier makes of one text."""

    run: str
    text: str
    tokens: tuple[str, ...]
    probabilities: Mapping[str, float]
    cut: int
    """Tokens beyond the context, which were not used."""

    @property
    def label(self) -> str:
        """The likeliest class."""
        return max(self.probabilities, key=self.probabilities.__getitem__)

    def to_dict(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "text": self.text,
            "tokens": list(self.tokens),
            "probabilities": dict(self.probabilities),
            "label": self.label,
            "cut": self.cut,
        }

    def tables(self) -> list[Table]:
        ranked = sorted(self.probabilities.items(), key=lambda entry: -entry[1])
        rows = tuple((name, percent(value)) for name, value in ranked)
        note = f"The last {self.cut} tokens are beyond the context and were not used." if self.cut else ""
        return [Table(shortened(self.text, TITLE), ("class", "probability, %"), rows, note=note)]


def score(run: Run, texts: str | Sequence[str]) -> list[TextSurprisal | TextClass]:
    """Each text by itself: class probabilities, or the surprisal of every token."""
    given = [texts] if isinstance(texts, str) else list(texts)
    lines = [one_line(text) for text in given]
    if not lines or not all(lines):
        raise InputError("There is nothing to score: a text is empty.")
    return [_classify(run, line) if run.task == "classifier" else _surprise(run, line) for line in lines]


def _surprise(run: Run, line: str) -> TextSurprisal:
    tokenizer = run.tokenizer
    encoded = tokenizer.measure_all([f"{line}\n"]).wrapped(tokenizer.find(START), tokenizer.find(STOP))
    text = opened(encoded, run.record["opening"], tokenizer)
    nats = surprisal(run.model, text.ids, cover(text.starts, run.config.context, run.record["stride"]))
    scored = predicted(text.ids, tokenizer) & ~np.isnan(nats)
    if not scored.any():
        raise InputError(f"There is no token to score in {line!r}.")
    ids, found = text.ids[scored], nats[scored].astype(np.float64)
    return TextSurprisal(
        run=run.id,
        text=line,
        tokens=tuple(tokenizer.token(int(index)) for index in ids),
        surprisal=tuple(float(value) for value in found),
        unknown=int((ids == tokenizer.unk_id).sum()) if tokenizer.unk_id is not None else 0,
        bits_per_byte=bits_per_byte(found, max(1, int(text.sizes.sum()))),
    )


def _classify(run: Run, line: str) -> TextClass:
    tokenizer, context = run.tokenizer, run.config.context
    whole = tokenizer.measure_all([line])
    encoded = tokenizer.framed(whole, context)
    items = LabelledItems(encoded, np.zeros(1, np.int64), context, tokenizer.pad_id)
    found = probabilities(run.model, items)[0]
    ids = encoded.ids[:context]
    return TextClass(
        run=run.id,
        text=line,
        tokens=tuple(tokenizer.token(int(index)) for index in ids),
        probabilities={name: float(value) for name, value in zip(run.record["labels"], found, strict=True)},
        cut=len(tokenizer.framed(whole, sys.maxsize).ids) - len(ids),
    )


def generate(run: Run, prompt: str = "", tokens: int = 50, **options: Any) -> str:
    """The prompt and what the model makes of it; without a prompt, it begins as a text does."""
    if run.task != "lm":
        raise InputError(f"The run {run.id} is a {run.task}; only a language model can continue a text.")
    tokenizer = run.tokenizer
    ids = tokenizer.encode(one_line(prompt)) if prompt.strip() else []
    start = tokenizer.find(START)
    before = [start] if start is not None else [] if ids else [int(run.record["opening"])]
    made = continue_ids(run.model, before + ids, tokens, stop=tokenizer.find(STOP), **options)
    return tokenizer.decode(ids + made)


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
        note = f"The model was trained on {self.context} tokens at once. Windows are moved on by half of their length."
        return [Table("Perplexity by tokens seen at once", columns, rows, note=note)]


def extrapolate(run: Run, corpus: Corpus, factors: Sequence[int] = FACTORS) -> Extrapolation:
    """The test texts with 1, 2, 4 and 8 times the training context, where the positions allow it."""
    if run.task != "lm":
        raise InputError(f"The run {run.id} is a {run.task}; only a language model has a perplexity.")
    if corpus.fingerprint != run.record["corpus"]["fingerprint"]:
        raise InputError(
            f"This corpus is not the one of the run {run.id}: its fingerprint is {corpus.fingerprint}, not "
            f"{run.record['corpus']['fingerprint']}."
        )
    config, tokenizer = run.config, run.tokenizer
    limit = config.position.limit(config.shape())
    if limit is not None and config.context * max(factors) > limit:
        raise InputError(
            f"The positions of the run {run.id} end at {limit} tokens; lengths beyond training need positions that "
            "have no end, such as rope, alibi or sinusoidal."
        )
    encoded = encode_lm(corpus, tokenizer)
    found: dict[str, dict[int, float]] = {}
    for name in corpus.need_lm().tests:
        text = opened(joined(encoded[name]), run.record["opening"], tokenizer)
        found[name] = {size: _perplexity(run, text, size) for size in (factor * config.context for factor in factors)}
    return Extrapolation(run.id, config.context, found)


def _perplexity(run: Run, text: Encoded, size: int) -> float:
    nats: NDArray[np.float32] = surprisal(run.model, text.ids, cover(text.starts, size, max(1, size // 2)))
    return perplexity(nats[predicted(text.ids, run.tokenizer) & ~np.isnan(nats)])
