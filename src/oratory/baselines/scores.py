"""What the baselines score: facts, and the tables that they make."""

from dataclasses import dataclass, fields
from typing import Any

from oratory.tables import Table, Tabled, number, percent

KNESER_NEY = "kneser-ney"
SHOWN = 6
"""Test texts in a table."""


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
    dev: float | None
    """Perplexity of dev at this discount, before the model was fitted on all of train; None where there is no dev."""
    texts: dict[str, TextFacts]

    def to_dict(self) -> dict[str, Any]:
        measures = [field.name for field in fields(TextFacts)]
        per_measure = {key: {name: getattr(text, key) for name, text in self.texts.items()} for key in measures}
        return {"order": self.order, "discount": self.discount, "dev": self.dev, **per_measure}


@dataclass(frozen=True)
class Baselines(Tabled):
    """All baselines of a corpus; `to_dict` is what `--json` prints."""

    corpus: str
    fingerprint: str
    tokenizer: str
    vocabulary: int | None
    discount: float | None
    """The discount that was asked for; None where each order has its own, chosen on dev."""
    test: int
    seen: int
    classifier: dict[str, ClassifierFacts]
    lm: dict[str, LanguageFacts]
    chosen: str | None
    """The language model with the lowest perplexity on dev; the trigrams where there was no dev."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values; `lm` has the chosen model under the plain name too."""
        facts = {field.name: getattr(self, field.name) for field in fields(self)}
        facts["classifier"] = {name: entry.to_dict() for name, entry in self.classifier.items()}
        facts["lm"] = {name: entry.to_dict() for name, entry in self.lm.items()}
        if self.chosen:
            facts["lm"] = {KNESER_NEY: facts["lm"][self.chosen], **facts["lm"]}
        return facts

    def tables(self) -> list[Table]:
        tables = []
        if self.classifier:
            columns = ("baseline", f"all {self.test:,}", f"seen {self.seen:,}", f"unseen {self.test - self.seen:,}")
            rows = tuple(
                (name, *(_with_interval(share) for share in (facts.all, facts.seen, facts.unseen)))
                for name, facts in self.classifier.items()
            )
            note = "; ".join(f"{name}: {facts.about}" for name, facts in self.classifier.items()) + "."
            note += " The intervals take items as independent, which sentences of one speech are not quite."
            tables.append(Table("Accuracy on test in % (95% interval)", columns, rows, note=note))
        if self.lm:
            tables.append(self._language_table())
        return tables

    def _language_table(self) -> Table:
        texts = list(next(iter(self.lm.values())).texts)
        shown = texts[:SHOWN]
        rows = tuple(
            (
                f"{name} *" if name == self.chosen else name,
                number(facts.discount, 2),
                number(facts.dev, 1),
                *(number(facts.texts[text].perplexity, 1) for text in shown),
            )
            for name, facts in self.lm.items()
        )
        no_dev = all(facts.dev is None for facts in self.lm.values())
        how, star = ("usual, for want of a dev split", "usual") if no_dev else ("chosen on dev", "lowest on dev")
        how = how if self.discount is None else "as given"
        note = f"* {star}. Tokenizer {self.tokenizer}, {self.vocabulary:,} entries; discounts {how}."
        if len(texts) > len(shown):
            note += f" {len(texts) - len(shown)} more texts are in the JSON."
        return Table("Perplexity of the test texts", ("baseline", "discount", "dev", *shown), rows, note=note)


def _with_interval(share: Share) -> str:
    if share.interval is None:
        return percent(None)
    low, high = share.interval
    return f"{percent(share.value)} ({percent(low)}–{percent(high)})"
