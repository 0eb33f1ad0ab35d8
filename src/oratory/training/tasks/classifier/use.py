"""Class probabilities of single texts."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from oratory.batches import LabelledItems
from oratory.tables import TITLE, Table, Tabled, percent, shortened
from oratory.tokens.unknown import named, unknown_note, unknown_words
from oratory.training.tasks.classifier.learning import probabilities
from oratory.training.tasks.task import Trained


@dataclass(frozen=True)
class TextClass(Tabled):
    """The probability of each class for one text."""

    run: str
    text: str
    tokens: tuple[str, ...]
    probabilities: Mapping[str, float]
    cut: int
    """Tokens beyond the context, which were not used."""
    unknown: tuple[str, ...] = ()
    """Words that are not in the vocabulary."""

    @property
    def label(self) -> str:
        """The most probable class."""
        return max(self.probabilities, key=self.probabilities.__getitem__)

    def to_dict(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "text": self.text,
            "tokens": list(self.tokens),
            "probabilities": dict(self.probabilities),
            "label": self.label,
            "cut": self.cut,
            "unknown": list(self.unknown),
        }

    def row(self) -> dict[str, Any]:
        """As a row of a table."""
        return {"predicted": self.label, **{f"p({name})": value for name, value in self.probabilities.items()}}

    def tables(self) -> list[Table]:
        ranked = sorted(self.probabilities.items(), key=lambda entry: -entry[1])
        rows = tuple((name, percent(value)) for name, value in ranked)
        cut = f"The last {self.cut} tokens are beyond the context and were not used." if self.cut else ""
        note = f"{unknown_note(list(self.unknown))} {cut}".strip()
        return [Table(shortened(self.text, TITLE), ("class", "probability, %"), rows, note=note)]


def classify(run: Trained, line: str) -> TextClass:
    """The probabilities that a trained classifier gives one text."""
    tokenizer, context = run.tokenizer, run.config.context
    whole = tokenizer.measure_all([line])
    encoded = tokenizer.framed(whole, context)
    items = LabelledItems(encoded, np.zeros(1, np.int64), context, tokenizer.pad_id)
    found = probabilities(run.model, items)[0]
    ids = encoded.ids[:context]
    return TextClass(
        run=run.id,
        text=line,
        tokens=named(tokenizer, ids, line),
        probabilities={name: float(value) for name, value in zip(run.labels, found, strict=True)},
        cut=len(tokenizer.framed(whole, sys.maxsize).ids) - len(ids),
        unknown=tuple(unknown_words(tokenizer, line)),
    )
