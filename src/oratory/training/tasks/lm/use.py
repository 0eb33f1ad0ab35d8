"""Using a trained language model: surprisal of single texts, new text, and longer contexts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.model import generate
from oratory.tables import TITLE, Table, Tabled, number, shortened
from oratory.text import Corpus
from oratory.text.corpus import one_line
from oratory.tokens import START, STOP, Encoded, encode_lm
from oratory.tokens.scoring import bits_per_byte, perplexity, predicted
from oratory.training.tasks.lm.surprisal import cover, joined, opened, surprisal
from oratory.training.tasks.task import Trained


@dataclass(frozen=True)
class TextSurprisal(Tabled):
    """The surprisal of every token of one text: -ln p of the token, given those before it."""

    run: str
    text: str
    tokens: tuple[str, ...]
    surprisal: tuple[float, ...]
    unknown: int
    """Tokens whose text is not in the vocabulary."""
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


def surprise(run: Trained, line: str) -> TextSurprisal:
    """The surprisal of every token of one text."""
    tokenizer = run.tokenizer
    encoded = tokenizer.measure_all([f"{line}\n"]).wrapped(tokenizer.find(START), tokenizer.find(STOP))
    text = opened(encoded, run.facts["opening"], tokenizer)
    nats = surprisal(run.model, text.ids, cover(text.starts, run.config.context, run.facts["stride"]))
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


def continued(run: Trained, prompt: str = "", tokens: int = 50, **options: Any) -> str:
    """The prompt and its continuation; without a prompt, the text begins as the training texts do."""
    tokenizer = run.tokenizer
    ids = tokenizer.encode(one_line(prompt)) if prompt.strip() else []
    start = tokenizer.find(START)
    before = [start] if start is not None else [] if ids else [int(run.facts["opening"])]
    made = generate(run.model, before + ids, tokens, stop=tokenizer.find(STOP), **options)
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
    limit = config.position.limit(config.shape())
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
    nats: NDArray[np.float32] = surprisal(run.model, text.ids, cover(text.starts, size, max(1, size // 2)))
    return perplexity(nats[predicted(text.ids, run.tokenizer) & ~np.isnan(nats)])
