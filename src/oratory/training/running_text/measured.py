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
    chosen = _on_dev(kind, corpus, tokenizer, kind.discounts if discount is None else (discount,))
    encoded = encode_lm(corpus, tokenizer)
    counts = kind(encoded["train"].ids, len(tokenizer))
    texts = {name: _Text(data.tests[name], encoded[name], data.seen(name), tokenizer) for name in data.tests}
    facts = {}
    for name, order in kind.orders.items():
        best, dev = chosen.get(name, (discount or USUAL_DISCOUNT, None))
        found = {}
        for text in texts:
            [nats] = counts.nats(name, encoded[text].ids, (best,))
            found[text] = texts[text].facts(nats, task.spells)
        facts[name] = CountFacts(order, best, dev, found)
    return facts


def _on_dev(
    kind: type[CountModels], corpus: Corpus, tokenizer: Tokenizer, discounts: Sequence[float]
) -> dict[str, tuple[float, float | None]]:
    """The discount of each model, and its perplexity on dev with it; nothing without a dev."""
    if corpus.need_lm().dev is None:
        try:
            corpus = corpus.with_dev()
        except InputError:
            return {}
    encoded = encode_lm(corpus, tokenizer)
    counts, dev = kind(encoded["train"].ids, len(tokenizer)), encoded["dev"].ids
    scored = predicted(dev, tokenizer)
    tried = {
        name: {
            d: perplexity(nats[scored]) for d, nats in zip(discounts, counts.nats(name, dev, discounts), strict=True)
        }
        for name in kind.orders
    }
    best = {name: min(found, key=found.__getitem__) for name, found in tried.items()}
    return {name: (best[other], tried[name][best[other]]) for name, other in kind.tuned_by.items()}


class _Text:
    """One test text, and what is the same for all models of it."""

    def __init__(self, lines: Sequence[str], encoded: Encoded, seen: Sequence[bool], tokenizer: Tokenizer) -> None:
        self.scored = predicted(encoded.ids, tokenizer)
        self.in_seen = np.array(seen)[encoded.owners]
        self.spelling = spelled(lines, encoded, tokenizer)[self.scored]
        self.bytes = sum(len(line.encode()) + 1 for line in lines)
        self.words = count_words(lines)

    def facts(self, nats: NDArray[np.float64], closed: bool) -> CountedText:
        """The figures of one model; those that are closed over text, if it is a model of text."""
        scored, in_seen, found = self.scored, self.in_seen, nats[self.scored]
        bits = bits_per_byte(found, self.spelling, self.bytes)
        per_word = perplexity_per_word(found, self.spelling, self.words)
        return CountedText(
            perplexity=perplexity(found),
            perplexity_seen=perplexity(nats[scored & in_seen]) if in_seen.any() else None,
            perplexity_unseen=perplexity(nats[scored & ~in_seen]) if not in_seen.all() else None,
            bits_per_byte=bits if closed and isfinite(bits) else None,
            perplexity_per_word=per_word if closed and isfinite(per_word) else None,
            tokens=int(scored.sum()),
            tokens_seen=int((scored & in_seen).sum()),
        )
