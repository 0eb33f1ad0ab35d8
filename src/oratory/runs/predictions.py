"""What a trained model says of many texts, as one table."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError
from oratory.tables import Table, Tabled, number, percent, shortened
from oratory.text.given import given_texts

if TYPE_CHECKING:
    import pyarrow

    from oratory.runs.run import Run

SHOWN = 20
"""Rows that are shown; a file has all of them."""
SHARE = "p("
"""How the name of a probability begins."""
LONGEST = 60
"""Characters of a text in a table."""


@dataclass(frozen=True)
class Predictions(Tabled):
    """Texts with what a run says of each: the probability of every label, or a perplexity."""

    run: str
    texts: tuple[str, ...]
    labels: tuple[str, ...] | None
    """The true labels, where the file has them."""
    found: tuple[Any, ...]
    """What the task says of each text."""

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """A dictionary for each text."""
        true = [{}] * len(self) if self.labels is None else [{"label": label} for label in self.labels]
        return [
            {"text": text, **label, **found.row()}
            for text, label, found in zip(self.texts, true, self.found, strict=True)
        ]

    @property
    def right(self) -> int | None:
        """How many labels were predicted correctly; None without labels."""
        if self.labels is None or "predicted" not in self.rows[0]:
            return None
        return sum(bool(row["predicted"] == row["label"]) for row in self.rows)

    def table(self) -> "pyarrow.Table":
        """All rows, for a file."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"run": self.run, "right": self.right, "texts": self.rows}

    def tables(self) -> list[Table]:
        figures = [name for name, value in self.rows[0].items() if not isinstance(value, str)]
        words = [name for name in self.rows[0] if name not in figures]
        rows = tuple(
            (*(shortened(row[name], LONGEST) for name in words), *(_shown(name, row[name]) for name in figures))
            for row in self.rows[:SHOWN]
        )
        said = [] if self.right is None else [f"{self.right:,} of {len(self):,} labels are right."]
        if len(self) > SHOWN:
            said.append(f"The first {SHOWN} of {len(self):,} texts; --out FILE.csv has all.")
        title = f"{len(self):,} text{'s' * (len(self) != 1)}, by {self.run}"
        return [
            Table(
                title,
                (*words, *(f"{name}, %" if name.startswith(SHARE) else name for name in figures)),
                rows,
                words=len(words),
                note=" ".join(said),
            )
        ]


def predict(run: "Run", texts: str | os.PathLike[str] | Sequence[str], column: str | None = None) -> Predictions:
    """What a run says of texts, or of the texts of a file."""
    given = given_texts(texts, column)
    if not given.texts:
        raise InputError("There is nothing to score: no text was given.")
    return Predictions(run.id, given.texts, given.labels, tuple(run.score(given.texts)))


def _shown(name: str, value: float) -> str:
    if name.startswith(SHARE):
        return percent(value)
    return number(value, 0 if isinstance(value, int) else 1)
