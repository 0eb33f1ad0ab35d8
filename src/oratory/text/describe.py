"""A corpus on one screen."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from oratory.tables import Table, Tabled, number, plural
from oratory.text.corpus import Corpus

EXAMPLES = 2
SHOWN = 12
"""The most labels or texts that a table shows; one row counts the rest."""


@dataclass(frozen=True)
class TextSize:
    """How much text there is."""

    items: int
    words: int
    bytes: int
    groups: int | None
    """None where the corpus does not say them."""

    @classmethod
    def of(cls, texts: Sequence[str], groups: tuple[str, ...]) -> "TextSize":
        """Words are separated by white space; each text counts one byte for its line end."""
        words, size = sum(len(text.split()) for text in texts), sum(len(text.encode()) + 1 for text in texts)
        return cls(len(texts), words, size, len(set(groups)) or None)


@dataclass(frozen=True)
class Description(Tabled):
    """The content of a corpus in figures; `--json` prints `to_dict`."""

    name: str
    fingerprint: str
    item: str
    """What a text is called."""
    group: str | None
    """What a group of texts is called, where the corpus says its groups."""
    classifier: dict[str, TextSize]
    labels: dict[str, dict[str, int]]
    """For each label, how many items of each split have it."""
    lm: dict[str, TextSize]
    examples: dict[str, list[str]]
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def tables(self) -> list[Table]:
        tables = []
        if self.classifier:
            splits = list(self.classifier)
            rows = [(label, *(number(counts[split]) for split in splits)) for label, counts in self.labels.items()]
            rows = _shortened(rows, [sum(counts.values()) for counts in self.labels.values()])
            for key in ("items", "words"):
                total = "all" if key == "items" else "words of all"
                rows.append((total, *(number(getattr(self.classifier[split], key)) for split in splits)))
            if self.group:
                rows.append((plural(self.group), *(number(self.classifier[split].groups) for split in splits)))
            tables.append(Table("Labelled texts", ("label", *splits), tuple(rows)))
        if self.lm:
            columns = {"lines": "items", "words": "words", "bytes": "bytes"}
            columns |= {plural(self.group): "groups"} if self.group else {}
            rows = [(name, *(number(getattr(s, key)) for key in columns.values())) for name, s in self.lm.items()]
            rows = _shortened(rows, [size.words for size in self.lm.values()])
            tables.append(Table("Running text", ("text", *columns), tuple(rows)))
        rows = [(label, text) for label, texts in list(self.examples.items())[:4] for text in texts]
        tables.append(Table("Examples", ("from", "text"), tuple(rows), words=2))
        return tables


def describe(corpus: Corpus) -> Description:
    """The size of each split and text, the labels, and the first texts of each label."""
    classifier, lm = corpus.classifier, corpus.lm
    labels: dict[str, dict[str, int]] = {}
    examples: dict[str, list[str]] = {}
    if classifier:
        counts = {split: Counter(labelled.labels) for split, labelled in classifier.splits()}
        for index, label in enumerate(classifier.label_names):
            labels[label] = {split: counted[index] for split, counted in counts.items()}
        examples = {label: [] for label in classifier.label_names}
        for text, at in zip(classifier.train.texts, classifier.train.labels, strict=True):
            own = examples[classifier.label_names[at]]
            if len(own) < EXAMPLES:
                own.append(text)
    elif lm:
        examples["train"] = list(lm.train[: 2 * EXAMPLES])
    return Description(
        name=corpus.name,
        fingerprint=corpus.fingerprint,
        item=corpus.item,
        group=corpus.group,
        classifier={name: TextSize.of(split.texts, split.groups) for name, split in classifier.splits()}
        if classifier
        else {},
        labels=labels,
        lm={name: TextSize.of(lines, lm.groups.get(name, ())) for name, lines in lm.texts()} if lm else {},
        examples=examples,
        notes=(*corpus.left_out, *corpus.notes),
    )


def _shortened(rows: list[tuple[str, ...]], weights: list[int]) -> list[tuple[str, ...]]:
    """The rows with the largest weights, in their order, and one that counts the others."""
    if len(rows) <= SHOWN:
        return rows
    kept = sorted(sorted(range(len(rows)), key=lambda index: -weights[index])[: SHOWN - 1])
    rest = (f"{len(rows) - len(kept)} more", *("" for _ in rows[0][1:]))
    return [*(rows[index] for index in kept), rest]
