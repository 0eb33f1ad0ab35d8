"""Tables of texts with labels: which column is which, and their rows.

Columns are found by name or, in a file without a header, by their content. Where either column could be the label,
nothing is guessed.
"""

import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from oratory.errors import InputError, unknown
from oratory.files import read_places
from oratory.text.header import is_like_header
from oratory.text.lines import file_lines, is_large
from oratory.text.normal import one_line

TEXT_NAMES = ("text", "sentence", "content", "review", "document", "utterance", "tweet", "body")
MOST_COLUMNS = 1000
LABEL_NAMES = ("label", "labels", "class", "target", "category", "sentiment", "speaker", "author")

LOOKED_AT = 100_000
"""Lines of a file that are looked at to tell whether its first one is unlike them."""
ENOUGH = 10
"""Lines of a file without a header from which on its first one can be unlike the others."""


@dataclass(frozen=True, slots=True)
class LabelledText:
    """One text with its label and group, and its file and line for messages."""

    text: str
    label: str
    file: str
    line: int | None = None
    """None where the text has no line of its own."""
    group: str = ""
    """Empty where the corpus does not say."""

    @property
    def where(self) -> str:
        return self.file if self.line is None else f"{self.file}, line {self.line}"


@dataclass(frozen=True)
class LabelledTexts:
    """Many texts with their labels and groups, as columns. The texts of a large file stay in it."""

    file: str
    texts: Sequence[str]
    labels: Sequence[str]
    lines: Sequence[int | None]
    groups: tuple[str, ...] = ()
    """Empty where the corpus does not say."""

    @classmethod
    def of(cls, rows: Sequence[LabelledText]) -> "LabelledTexts":
        groups = tuple(row.group for row in rows if row.group)
        texts, labels, lines = (tuple(getattr(row, name) for row in rows) for name in ("text", "label", "line"))
        return cls(rows[0].file, texts, labels, lines, groups)

    def where(self, row: int) -> str:
        line = self.lines[row]
        return self.file if line is None else f"{self.file}, line {line}"


@dataclass(frozen=True)
class Wanted:
    """The names of columns that the user gave; None where the usual names are looked for, and for no groups."""

    text: str | None = None
    label: str | None = None
    group: str | None = None
    labelled: bool = True
    """Whether there must be a label."""


@dataclass(frozen=True)
class RawTable:
    """Cells as text. `columns` is None in a file without a header; a cell that is missing is None."""

    path: str
    columns: tuple[str, ...] | None
    cells: tuple[tuple[str | None, ...], ...]
    lines: Sequence[int]

    def where(self, row: int) -> str:
        return f"{self.path}, line {self.lines[row]}"


def read_labelled(path: Path) -> LabelledTexts:
    """A `*_CLS.tsv` file: label, tab, text; no header. Further tabs belong to the text."""
    labels: list[str] = []
    kept: list[str] = []
    lines = array("q")
    large, file = is_large(path), str(path)

    def note(number: int, raw: bytes, line: str) -> int:
        label, tab, text = line.partition("\t")
        if not tab:
            raise InputError(f"{path}, line {number}: no tab; write label, tab, text.")
        row = _row(text, label, file, number)
        labels.append(sys.intern(row.label))
        lines.append(number)
        if not large:
            kept.append(row.text)
        return raw.index(b"\t") + 1

    if large:
        texts: Sequence[str] = file_lines(path, note)
    else:
        for number, _, raw, line in read_places(path):
            note(number, raw, line)
        texts = tuple(kept)
    cells = list(zip(labels, islice(texts, LOOKED_AT), strict=False))
    if len(cells) >= ENOUGH and is_like_header(cells[0], cells[1:]):
        raise InputError(
            f"{path}, line 1: {cells[0][0]!r} and {cells[0][1]!r} look like the names of columns; a *_CLS.tsv file has "
            f"none. Remove the line, or name the file {path.name.replace('_CLS', '')}, whose columns may have names."
        )
    return LabelledTexts(file, texts, labels, lines)


def find_columns(table: RawTable, text: str | None, label: str | None) -> tuple[int, int]:
    """The indices of the text and the label column: as named by the user, by usual names, or by content."""
    if table.columns is None:
        if text or label:
            asked = text or label
            raise InputError(f"{table.path}, line 1: there is no header, so no column can be called {asked!r}.")
        return _by_content(table)
    found = find_text(table, text), _by_name(table, label, LABEL_NAMES, "label")
    if found[0] == found[1]:
        raise InputError(
            f"{table.path}, line 1: the column {table.columns[found[0]]!r} cannot be text and label at once."
        )
    return found


def chosen_columns(path: str, columns: Sequence[str], wanted: Wanted, labelled: bool = True) -> list[str]:
    """The columns of text, label and group, found by their names before anything is read."""
    if len(columns) > MOST_COLUMNS:
        raise InputError(f"{path} has {len(columns):,} columns; at most {MOST_COLUMNS:,} are read.")
    table = RawTable(path, tuple(columns), (), ())
    labelled = labelled and wanted.labelled
    found = list(find_columns(table, wanted.text, wanted.label)) if labelled else [find_text(table, wanted.text)]
    if wanted.group is not None:
        found.append(_by_name(table, wanted.group, (), "group"))
    return [columns[at] for at in dict.fromkeys(found)]


def find_text(table: RawTable, asked: str | None) -> int:
    """The index of the text column in a table with a header."""
    return _by_name(table, asked, TEXT_NAMES, "text")


def groups_of(table: RawTable, column: str | None) -> list[str]:
    """The group of each row, or blanks where no column is named."""
    if column is None:
        return [""] * len(table.cells)
    if table.columns is None:
        raise InputError(f"{table.path}, line 1: there is no header, so no column can be called {column!r}.")
    at = _by_name(table, column, (), "group")
    groups = [one_line(cells[at] or "") if at < len(cells) else "" for cells in table.cells]
    if "" in groups:
        where = table.where(groups.index(""))
        raise InputError(f"{where}: the group in the column {column!r} is missing, or is neither text nor a number.")
    return groups


def rows_of(table: RawTable, text: int, label: int, group: str | None = None) -> list[LabelledText]:
    """The text and label columns, and the column of groups where one is named, row by row."""
    rows = []
    groups = groups_of(table, group)
    for index, cells in enumerate(table.cells):
        wanted = len(table.columns or "12")
        if len(cells) != wanted:
            raise InputError(f"{table.where(index)}: {len(cells)} column(s) where there should be {wanted}.")
        rows.append(_row(cells[text] or "", cells[label] or "", table.path, table.lines[index], groups[index]))
    return rows


def _row(text: str, label: str, file: str, line: int, group: str = "") -> LabelledText:
    row = LabelledText(one_line(text), one_line(label), file, line, group)
    if not row.label:
        raise InputError(f"{row.where}: the label is missing, or is neither text nor a number.")
    if not row.text:
        raise InputError(f"{row.where}: the text is missing, or is no text.")
    return row


def _by_name(table: RawTable, asked: str | None, usual: Sequence[str], what: str) -> int:
    columns = table.columns or ()
    if asked is not None:
        if asked not in columns:
            error = unknown("column", asked, columns)
            raise InputError(f"{table.path}, line 1: {error}")
        return _only(table, asked, columns)
    folded = [column.casefold() for column in columns]
    found = next((_only(table, name, folded) for name in usual if name in folded), None)
    if found is None:
        raise InputError(
            f"{table.path}, line 1: none of the columns {', '.join(columns)} is called {' or '.join(usual[:3])}; "
            f"name the one that holds the {what}: folder(path=..., {what}=COLUMN), or hub(name=..., {what}=COLUMN)."
        )
    return found


def _only(table: RawTable, name: str, columns: Sequence[str]) -> int:
    if columns.count(name) > 1:
        raise InputError(f"{table.path}, line 1: {columns.count(name)} columns are called {name!r}.")
    return columns.index(name)


def _by_content(table: RawTable) -> tuple[int, int]:
    """Two columns without a header: whole numbers are labels; else fewer values and fewer words are."""
    widths = {len(cells) for cells in table.cells}
    if widths != {2}:
        row = next(index for index, cells in enumerate(table.cells) if len(cells) != 2)
        raise InputError(
            f"{table.where(row)}: {len(table.cells[row])} column(s); without a header there must be two, "
            "text and label."
        )
    first, second = ([cells[side] or "" for cells in table.cells] for side in (0, 1))
    numbers = [all(_is_whole(cell) for cell in column) for column in (first, second)]
    if numbers[0] != numbers[1]:
        return (1, 0) if numbers[0] else (0, 1)
    values = [len(set(column)) for column in (first, second)]
    words = [sum(len(cell.split()) for cell in column) for column in (first, second)]
    if values[0] < values[1] and words[0] < words[1]:
        return 1, 0
    if values[1] < values[0] and words[1] < words[0]:
        return 0, 1
    raise InputError(
        f"{table.path}: either column could be the label; give the file a header line such as text and label."
    )


def _is_whole(cell: str) -> bool:
    return cell.strip().removeprefix("-").isdecimal()
