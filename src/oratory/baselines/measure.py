"""Every baseline on a corpus."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.baselines.classifiers import CLASSIFIERS
from oratory.baselines.kept import classifier_facts, kept, language_facts
from oratory.baselines.kneser_ney import DISCOUNTS, NgramCounts
from oratory.baselines.scores import KNESER_NEY, Baselines, ClassifierFacts, LanguageFacts, Share, TextFacts
from oratory.errors import InputError
from oratory.text import ClassifierData, Corpus
from oratory.tokens import Encoded, Tokenizer, encode_lm, train_tokenizer
from oratory.tokens.scoring import bits_per_byte, perplexity, predicted

ORDERS = (1, 2, 3, 4, 5)
USUAL_DISCOUNT = 0.75
"""For a corpus too small to choose one."""


def measure_baselines(
    corpus: Corpus, tokenizer: str = "word", discount: float | None = None, keep: Path | None = None
) -> Baselines:
    """Fit every baseline on train and measure it on test. A discount that is not given is chosen on dev.

    With a folder in `keep`, what was measured is kept there, and used again for the same corpus and tokens.
    """
    if discount is not None and not 0 < discount < 1:
        raise InputError(f"The discount must lie between 0 and 1, not {discount}.")
    data, lm = corpus.classifier, corpus.lm
    classifiers: dict[str, ClassifierFacts] = {}
    if data and data.test:
        deciding = [replace(corpus, lm=None).fingerprint]
        classifiers = kept(keep, "classifier", deciding, classifier_facts, lambda: _classifiers(data))
    languages: dict[str, LanguageFacts] = {}
    vocabulary = None
    if lm and lm.tests:
        trained = train_tokenizer(corpus, tokenizer)
        vocabulary = len(trained)
        tokens: list[Any] = [corpus.fingerprint, tokenizer, trained.fingerprint, discount]
        measure = partial(_language_models, corpus, trained, tokenizer, discount)
        languages = kept(keep, "lm", tokens, language_facts, measure)
    if not classifiers and not languages:
        raise InputError(f"The corpus {corpus.name} has no test split, so there is nothing to measure on.")
    seen = data.seen if data else ()
    return Baselines(
        corpus=corpus.name,
        fingerprint=corpus.fingerprint,
        tokenizer=tokenizer,
        vocabulary=vocabulary,
        discount=discount,
        test=len(seen),
        seen=sum(seen),
        classifier=classifiers,
        lm=languages,
        chosen=_lowest_on_dev(languages),
    )


def _lowest_on_dev(languages: dict[str, LanguageFacts]) -> str | None:
    """The model to name first: the best on dev, or the trigrams where there was no dev to ask."""
    on_dev = {name: facts.dev for name, facts in languages.items() if facts.dev is not None}
    return min(on_dev, key=on_dev.__getitem__) if on_dev else f"{KNESER_NEY}-3" if languages else None


def _classifiers(data: ClassifierData) -> dict[str, ClassifierFacts]:
    assert data.test is not None
    seen, labels = np.array(data.seen), np.array(data.test.labels)
    facts = {}
    for make in CLASSIFIERS:
        baseline = make()
        baseline.fit(data.train)
        right = baseline.predict(data.test) == labels
        shares = (Share(int(right[mask].sum()), int(mask.sum())) for mask in (np.ones_like(seen), seen, ~seen))
        facts[baseline.name] = ClassifierFacts(baseline.about, *shares)
    return facts


def _language_models(
    corpus: Corpus, tokenizer: Tokenizer, settings: str, discount: float | None
) -> dict[str, LanguageFacts]:
    """Choose the discount of each order on dev, with a vocabulary that knows no dev; then fit on all of train."""
    data = corpus.need_lm()
    discounts = _discounts(corpus, tokenizer, settings, DISCOUNTS if discount is None else (discount,))
    encoded = encode_lm(corpus, tokenizer)
    counts = NgramCounts(encoded["train"].ids, len(tokenizer), max(ORDERS))
    seen = {name: data.seen(name) for name in data.tests}
    facts = {}
    for order in ORDERS:
        chosen, dev = discounts[order] if discounts else (discount or USUAL_DISCOUNT, None)
        texts = {}
        for name in data.tests:
            nats = counts.nats(encoded[name].ids, order, chosen)
            texts[name] = _text_facts(encoded[name], nats, seen[name], tokenizer)
        facts[f"{KNESER_NEY}-{order}"] = LanguageFacts(order, chosen, dev, texts)
    return facts


def _discounts(
    corpus: Corpus, tokenizer: Tokenizer, settings: str, candidates: Sequence[float]
) -> dict[int, tuple[float, float]]:
    """For each order the discount with the lowest perplexity on dev, and that perplexity; nothing without a dev."""
    if corpus.need_lm().dev is None:
        try:
            corpus = corpus.with_dev()
        except InputError:
            return {}
        tokenizer = train_tokenizer(corpus, settings)
    encoded = encode_lm(corpus, tokenizer)
    counts = NgramCounts(encoded["train"].ids, len(tokenizer), max(ORDERS))
    dev = encoded["dev"].ids
    scored = predicted(dev, tokenizer)
    chosen = {}
    for order in ORDERS:
        matches = counts.match(dev, order)
        tried = [(perplexity(-np.log(counts.probabilities(matches, d))[scored]), d) for d in candidates]
        lowest, best = min(tried)
        chosen[order] = (best, lowest)
    return chosen


def _text_facts(encoded: Encoded, nats: NDArray[np.float64], seen: Sequence[bool], tokenizer: Tokenizer) -> TextFacts:
    scored = predicted(encoded.ids, tokenizer)
    in_seen = np.array(seen)[encoded.owners]
    return TextFacts(
        perplexity=perplexity(nats[scored]),
        perplexity_seen=perplexity(nats[scored & in_seen]) if in_seen.any() else None,
        perplexity_unseen=perplexity(nats[scored & ~in_seen]) if not in_seen.all() else None,
        bits_per_byte=bits_per_byte(nats[scored], int(encoded.sizes.sum())),
    )
