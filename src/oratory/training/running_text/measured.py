"""Counts of a training text, measured on the test texts with the very tokens of the models."""

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from oratory.baselines.counts import USUAL_DISCOUNT, CountModels
from oratory.baselines.kept import kept
from oratory.errors import InputError
from oratory.text import Corpus
from oratory.tokens import Encoded, Tokenizer, encode_lm
from oratory.tokens.scoring import bits_per_byte, count_words, perplexity, perplexity_per_word, predicted
from oratory.tokens.spelling import spelled
from oratory.training.running_text.baselines import CountedText, CountFacts, TextBaselines

if TYPE_CHECKING:
    from oratory.training.running_text.task import TextTask


def measured(
    task: "TextTask", corpus: Corpus, settings: str, tokenizer: Tokenizer, keep: Path | None, discount: float | None
) -> TextBaselines:
    """The baselines of a task over the tokens of this very tokenizer, whose settings are known."""
    spelling = tokenizer.spelling.fingerprint if tokenizer.spelling else None
    deciding: list[Any] = [corpus.fingerprint, tokenizer.fingerprint, spelling, discount]
    models = kept(keep, task.name, deciding, CountFacts, lambda: _facts(task, corpus, tokenizer, discount))
    return replace(
        task.no_baselines,
        models=models,
        tokenizer=settings,
        tokenizer_fingerprint=tokenizer.fingerprint,
        vocabulary=len(tokenizer),
        discount=discount,
    )


def _facts(task: "TextTask", corpus: Corpus, tokenizer: Tokenizer, discount: float | None) -> dict[str, CountFacts]:
    """Choose the discounts on dev, where the model knows no dev; then fit on all of train."""
    data, kind = corpus.need_lm(), task.counts()
    discounts = kind.discounts if discount is None else (discount,)
    encoded = encode_lm(corpus, tokenizer)
    if data.dev is None:
        chosen = _on_carved(kind, corpus, tokenizer, discounts)
        counts = kind(encoded["train"].ids, len(tokenizer))
    else:
        counts = kind(encoded["train"].ids, len(tokenizer))
        chosen = _on_dev(kind, counts, encoded["dev"].ids, tokenizer, discounts)
    numbers: dict[str, tuple[float, float | None]] = {}
    for name in kind.orders:
        usual = kind.shares[name][0] if name in kind.shares else discount or USUAL_DISCOUNT
        numbers[name] = chosen.get(name, (usual, None))
    found: dict[str, dict[str, CountedText]] = {name: {} for name in kind.orders}
    for text, lines in data.tests.items():
        about = _Text(lines, encoded[text], data.seen(text), tokenizer)
        for name, (best, _) in numbers.items():
            [nats] = counts.nats(name, encoded[text].ids, (best,))
            found[name][text] = about.facts(nats, task.spells)
    facts = {}
    for name, order in kind.orders.items():
        best, dev = numbers[name]
        discounted = name not in kind.shares
        facts[name] = CountFacts(order, best if discounted else None, dev, found[name], None if discounted else best)
    return facts


Chosen = dict[str, tuple[float, float | None]]
"""The discount or share of each model, and its perplexity on dev with it."""


def _on_carved(kind: type[CountModels], corpus: Corpus, tokenizer: Tokenizer, discounts: Sequence[float]) -> Chosen:
    """What is chosen on a dev that is carved from train; nothing where train is too small for one."""
    try:
        corpus = corpus.with_dev()
    except InputError:
        return {}
    encoded = encode_lm(corpus, tokenizer)
    counts = kind(encoded["train"].ids, len(tokenizer))
    return _on_dev(kind, counts, encoded["dev"].ids, tokenizer, discounts)


def _on_dev(
    kind: type[CountModels],
    counts: CountModels,
    dev: NDArray[np.int32],
    tokenizer: Tokenizer,
    discounts: Sequence[float],
) -> Chosen:
    scored = predicted(dev, tokenizer)
    tried = {}
    for name in kind.orders:
        numbers = kind.shares.get(name, discounts)
        found = counts.nats(name, dev, numbers)
        tried[name] = {number: perplexity(nats[scored]) for number, nats in zip(numbers, found, strict=True)}
    best = {name: min(found, key=found.__getitem__) for name, found in tried.items()}
    return {name: (best[other], tried[name][best[other]]) for name, other in kind.tuned_by.items()}


class _Text:
    """One test text, and what is the same for all models of it."""

    def __init__(self, lines: Sequence[str], encoded: Encoded, seen: Sequence[bool], tokenizer: Tokenizer) -> None:
        self.scored = predicted(encoded.ids, tokenizer)
        of_lines = np.array(seen, bool)
        self.seen = of_lines[encoded.owners][self.scored]
        self.spelling = spelled(lines, encoded, tokenizer)[self.scored]
        bytes_of = np.array([len(line.encode()) + 1 for line in lines], np.int64)
        words_of = np.array([count_words([line]) for line in lines], np.int64)
        self.bytes, self.bytes_seen = int(bytes_of.sum()), int(bytes_of[of_lines].sum())
        self.words, self.words_seen = int(words_of.sum()), int(words_of[of_lines].sum())

    def facts(self, nats: NDArray[np.float64], closed: bool) -> CountedText:
        """The figures of one model; those that are closed over text, if it is a model of text."""
        found, seen = nats[self.scored], self.seen
        every = np.ones(len(found), bool)

        def of_bytes(part: NDArray[np.bool_], size: int) -> float | None:
            return _closed(bits_per_byte(found[part], self.spelling[part], size)) if closed and size else None

        def of_words(part: NDArray[np.bool_], words: int) -> float | None:
            return _closed(perplexity_per_word(found[part], self.spelling[part], words)) if closed and words else None

        return CountedText(
            perplexity=perplexity(found),
            perplexity_seen=perplexity(found[seen]) if seen.any() else None,
            perplexity_unseen=perplexity(found[~seen]) if not seen.all() else None,
            bits_per_byte=of_bytes(every, self.bytes),
            perplexity_per_word=of_words(every, self.words),
            tokens=len(found),
            tokens_seen=int(seen.sum()),
            bits_per_byte_seen=of_bytes(seen, self.bytes_seen),
            bits_per_byte_unseen=of_bytes(~seen, self.bytes - self.bytes_seen),
            bytes=self.bytes,
            bytes_seen=self.bytes_seen,
            perplexity_per_word_seen=of_words(seen, self.words_seen),
            perplexity_per_word_unseen=of_words(~seen, self.words - self.words_seen),
            words=self.words,
            words_seen=self.words_seen,
        )


def _closed(figure: float) -> float | None:
    """A figure that is closed over text; None where it is not known."""
    return figure if isfinite(figure) else None
