"""A corpus on one screen."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from oratory.tables import Table, Tabled, number
from oratory.text.corpus import Corpus

EXAMPLES = 2
SHOWN = 12
"""The most labels or texts that a table shows; one row counts the rest."""


@dataclass(frozen=True)
class Size:
    """How much text there is."""

    items: int
    words: int
    bytes: int

    @classmethod
    def of(cls, texts: tuple[str, ...]) -> "Size":
        """Words are separated by white space; each text counts one byte for its line end."""
        return cls(len(texts), sum(len(text.split()) for text in texts), sum(len(text.encode()) + 1 for text in texts))


@dataclass(frozen=True)
class Description(Tabled):
    """The content of a corpus in figures; `--json` prints `to_dict`."""

    name: str
    fingerprint: str
    classifier: dict[str, Size]
    labels: dict[str, dict[str, int]]
    """For each label, how many items of each split have it."""
    lm: dict[str, Size]
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
            tables.append(Table("Labelled texts", ("label", *splits), tuple(rows)))
        if self.lm:
            rows = [(name, number(s.items), number(s.words), number(s.bytes)) for name, s in self.lm.items()]
            rows = _shortened(rows, [size.words for size in self.lm.values()])
            tables.append(Table("Running text", ("text", "lines", "words", "bytes"), tuple(rows)))
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
            own = (
                text for text, at in zip(classifier.train.texts, classifier.train.labels, strict=True) if at == index
            )
            examples[label] = [text for text, _ in zip(own, range(EXAMPLES), strict=False)]
    elif lm:
        examples["train"] = list(lm.train[: 2 * EXAMPLES])
    return Description(
        name=corpus.name,
        fingerprint=corpus.fingerprint,
        classifier={split: Size.of(labelled.texts) for split, labelled in classifier.splits()} if classifier else {},
        labels=labels,
        lm={name: Size.of(lines) for name, lines in lm.texts()} if lm else {},
        examples=examples,
        notes=corpus.notes,
    )


def _shortened(rows: list[tuple[str, ...]], weights: list[int]) -> list[tuple[str, ...]]:
    """The rows with the largest weights, in their order, and one that counts the others."""
    if len(rows) <= SHOWN:
        return rows
    kept = sorted(sorted(range(len(rows)), key=lambda index: -weights[index])[: SHOWN - 1])
    rest = (f"{len(rows) - len(kept)} more", *("" for _ in rows[0][1:]))
    return [*(rows[index] for index in kept), rest]
