"""Every baseline on a corpus: facts for the terminal, reports and `--json`."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.baselines.classifiers import CLASSIFIERS
from oratory.baselines.kneser_ney import DISCOUNTS, NgramCounts
from oratory.errors import InputError
from oratory.text import ClassifierData, Corpus
from oratory.tokens import START, Encoded, Tokenizer, encode_lm, train_tokenizer

ORDERS = (1, 2, 3, 4, 5)
KNESER_NEY = "kneser-ney"


@dataclass(frozen=True)
class Share:
    """A share of items, with a Wilson interval of 95%."""

    hits: int
    items: int

    @property
    def value(self) -> float | None:
        return self.hits / self.items if self.items else None

    @property
    def interval(self) -> tuple[float, float] | None:
        from scipy.stats import binomtest

        if not self.items:
            return None
        found = binomtest(self.hits, self.items).proportion_ci(method="wilson")
        return float(found.low), float(found.high)


@dataclass(frozen=True)
class ClassifierFacts:
    """What one classifier gets right, on all test items and on those train has or has not."""

    about: str
    all: Share
    seen: Share
    unseen: Share

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"about": self.about}
        for key, share in (("", self.all), ("_seen", self.seen), ("_unseen", self.unseen)):
            facts[f"accuracy{key}"] = share.value
            facts[f"accuracy{key}_interval"] = share.interval
        return facts


@dataclass(frozen=True)
class TextFacts:
    """What one language model makes of one text: of all its lines, and of those train has or has not."""

    perplexity: float
    perplexity_seen: float | None
    perplexity_unseen: float | None
    bits_per_byte: float


@dataclass(frozen=True)
class LanguageFacts:
    """One language model on every test text."""

    order: int
    discount: float
    dev: float
    """Perplexity of dev at this discount, before the model was fitted on all of train."""
    texts: dict[str, TextFacts]

    def to_dict(self) -> dict[str, Any]:
        measures = [field.name for field in fields(TextFacts)]
        per_measure = {key: {name: getattr(text, key) for name, text in self.texts.items()} for key in measures}
        return {"order": self.order, "discount": self.discount, "dev": self.dev, **per_measure}


@dataclass(frozen=True)
class Baselines:
    """All baselines of a corpus; `to_dict` is what `--json` prints."""

    corpus: str
    fingerprint: str
    tokenizer: str
    vocabulary: int | None
    test: int
    seen: int
    classifier: dict[str, ClassifierFacts]
    lm: dict[str, LanguageFacts]
    chosen: str | None
    """The language model with the lowest perplexity on dev."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values; `lm` has the chosen model under the plain name too."""
        facts = {field.name: getattr(self, field.name) for field in fields(self)}
        facts["classifier"] = {name: entry.to_dict() for name, entry in self.classifier.items()}
        facts["lm"] = {name: entry.to_dict() for name, entry in self.lm.items()}
        if self.chosen:
            facts["lm"] = {KNESER_NEY: facts["lm"][self.chosen], **facts["lm"]}
        return facts


def measure(corpus: Corpus, tokenizer: str = "word", discount: float | None = None) -> Baselines:
    """Fit every baseline on train and measure it on test. A discount that is not given is chosen on dev."""
    if discount is not None and not 0 < discount < 1:
        raise InputError(f"The discount must lie between 0 and 1, not {discount}.")
    data, lm = corpus.classifier, corpus.lm
    classifiers = _classifiers(data) if data and data.test else {}
    languages: dict[str, LanguageFacts] = {}
    vocabulary = None
    if lm and lm.tests:
        trained = train_tokenizer(corpus, tokenizer)
        vocabulary = len(trained)
        languages = _language_models(corpus, trained, tokenizer, (discount,) if discount else DISCOUNTS)
    if not classifiers and not languages:
        raise InputError(f"The corpus {corpus.name} has no test split, so there is nothing to measure on.")
    seen = data.seen if data else ()
    chosen = min(languages, key=lambda name: languages[name].dev) if languages else None
    return Baselines(
        corpus.name, corpus.fingerprint, tokenizer, vocabulary, len(seen), sum(seen), classifiers, languages, chosen
    )


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
    corpus: Corpus, tokenizer: Tokenizer, settings: str, candidates: Sequence[float]
) -> dict[str, LanguageFacts]:
    """Choose the discount of each order on dev, with a vocabulary that knows no dev; then fit on all of train."""
    data = corpus.need_lm()
    choosing = corpus if data.dev is not None else corpus.with_dev()
    own = tokenizer if choosing is corpus else train_tokenizer(choosing, settings)
    discounts = _discounts(encode_lm(choosing, own), own, candidates)
    encoded = encode_lm(corpus, tokenizer)
    counts = NgramCounts(encoded["train"].ids, len(tokenizer), max(ORDERS))
    seen = {name: data.seen(name) for name in data.tests}
    facts = {}
    for order in ORDERS:
        discount, dev = discounts[order]
        texts = {}
        for name in data.tests:
            nats = counts.nats(encoded[name].ids, order, discount)
            texts[name] = _text_facts(encoded[name], nats, seen[name], tokenizer)
        facts[f"{KNESER_NEY}-{order}"] = LanguageFacts(order, discount, dev, texts)
    return facts


def _discounts(
    encoded: dict[str, Encoded], tokenizer: Tokenizer, candidates: Sequence[float]
) -> dict[int, tuple[float, float]]:
    """For each order the discount with the lowest perplexity on dev, and that perplexity."""
    counts = NgramCounts(encoded["train"].ids, len(tokenizer), max(ORDERS))
    dev = encoded["dev"].ids
    scored = _scored(dev, tokenizer)
    chosen = {}
    for order in ORDERS:
        matches = counts.match(dev, order)
        tried = [(_perplexity(-np.log(counts.probabilities(matches, d))[scored]), d) for d in candidates]
        perplexity, discount = min(tried)
        chosen[order] = (discount, perplexity)
    return chosen


def _scored(ids: NDArray[np.int32], tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """Every token counts but <START>, which is given and not predicted."""
    start = tokenizer.find(START)
    return np.ones(len(ids), dtype=bool) if start is None else ids != start


def _text_facts(encoded: Encoded, nats: NDArray[np.float64], seen: Sequence[bool], tokenizer: Tokenizer) -> TextFacts:
    scored = _scored(encoded.ids, tokenizer)
    in_seen = np.array(seen)[encoded.owners]
    return TextFacts(
        perplexity=_perplexity(nats[scored]),
        perplexity_seen=_perplexity(nats[scored & in_seen]) if in_seen.any() else None,
        perplexity_unseen=_perplexity(nats[scored & ~in_seen]) if not in_seen.all() else None,
        bits_per_byte=float(nats[scored].sum() / np.log(2) / encoded.sizes.sum()),
    )


def _perplexity(nats: NDArray[np.float64]) -> float:
    return float(np.exp(nats.mean()))
