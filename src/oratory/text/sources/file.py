"""One table as a corpus: its rows are split here, the same way every time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from oratory.errors import InputError
from oratory.files import check_name
from oratory.text.corpus import Corpus
from oratory.text.dev import carve
from oratory.text.formats import READERS, read_table
from oratory.text.label_names import LABELS, read_label_names, with_names
from oratory.text.normal import normalise
from oratory.text.source import Source
from oratory.text.sources.folder import labelled_data, language_data
from oratory.text.table import LabelledText, LabelledTexts, Wanted, find_columns, rows_of


@dataclass(frozen=True)
class File(Source):
    """One table of texts and labels (.tsv, .csv, .jsonl or .parquet), of which a part is held out for test and dev.

    Labels of reviews.csv are shown by the names in reviews.labels.json, where there is such a file.
    """

    path: str
    """The file."""
    text: str | None = None
    """The column that holds the text; found by its name unless given."""
    label: str | None = None
    """The column that holds the label; found by its name unless given."""
    group: str | None = None
    """The column that says which texts belong together; a group is never split."""
    test: float = 0.2
    """Share of the rows that becomes test: of each label, by a hash of the text, and no text on both sides."""
    dev: float = 0.1
    """Share of the rows that becomes dev; 0 for none."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 < self.test < 1 and 0 <= self.dev < 1 and self.test + self.dev < 1):
            raise InputError(f"test={self.test}, dev={self.dev}: these shares must leave something to train on.")

    def read(self) -> Corpus:
        path = Path(self.path)
        check_name(path.resolve())
        table = read_table(path, Wanted(self.text, self.label, self.group))
        rows = rows_of(table, *find_columns(table, self.text, self.label), self.group)
        rest, test = _apart(rows, self.test)
        train, dev = _apart(rest, self.dev * len(rows) / len(rest)) if self.dev else (rest, [])
        splits = {"train": train, "dev": dev, "test": test}
        named = path.with_suffix(f".{LABELS}")
        names = read_label_names(named)
        classifier = labelled_data(
            {name: with_names(LabelledTexts.of(found), names, named) for name, found in splits.items() if found}
        )
        return Corpus(path.stem, classifier, language_data(classifier), group=self.group)

    def anchored(self) -> Self:
        return replace(self, path=str(Path(self.path).resolve()))

    def __str__(self) -> str:
        plain = Path(self.path).is_absolute() and self == File(self.path)
        return self.path if plain else super().__str__()


def is_table(path: Path) -> bool:
    """Whether this is a file in one of the formats of tables."""
    try:
        return path.suffix in READERS and path.is_file()
    except OSError:
        return False


def _apart(rows: Sequence[LabelledText], share: float) -> tuple[list[LabelledText], list[LabelledText]]:
    """The rows that stay, and those that are held out; a text of two groups that come apart is in neither."""
    names = {name: at for at, name in enumerate(dict.fromkeys(row.label for row in rows))}
    groups = [row.group or None for row in rows]
    carved = carve([normalise(row.text) for row in rows], [names[row.label] for row in rows], share, groups=groups)
    if carved.split:
        raise InputError(
            f"There are too few groups to hold out whole ones of each label ({carved.split[0]!r} would be split); make "
            "files of your own for train, dev and test, or leave group= out."
        )
    held = set(carved.dev)
    gone = held.union(carved.aside)
    stay = [row for at, row in enumerate(rows) if at not in gone]
    return stay, [row for at, row in enumerate(rows) if at in held]
