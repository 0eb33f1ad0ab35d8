"""Texts that a user gives to a trained model: from a file of lines, or from a table with or without labels."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from oratory.errors import InputError
from oratory.files import read_lines
from oratory.text.formats import READERS, read_table
from oratory.text.normal import one_line
from oratory.text.table import RawTable, Wanted, find_columns, find_text


@dataclass(frozen=True)
class GivenTexts:
    """Texts, and their labels where the file has them."""

    texts: tuple[str, ...]
    labels: tuple[str, ...] | None = None


def read_texts(path: str | os.PathLike[str], column: str | None = None) -> GivenTexts:
    """The texts of a file: its lines, or a column of a table."""
    path = Path(path)
    if path.suffix not in READERS:
        if column is not None:
            raise InputError(f"{path} has lines and no columns, so none can be called {column!r}.")
        return GivenTexts(tuple(one_line(line) for _, line in read_lines(path)))
    try:
        table = read_table(path, Wanted(text=column))
        text, label = find_columns(table, column, None)
    except InputError:  # No label that could be found; what else is wrong with the file is said now.
        table = read_table(path, Wanted(text=column, labelled=False))
        return GivenTexts(_cells(table, 0 if table.columns is None else find_text(table, column)))
    return GivenTexts(_cells(table, text), _cells(table, label))


def given_texts(texts: str | os.PathLike[str] | Sequence[str], column: str | None = None) -> GivenTexts:
    """Texts as they are given, or those of a file."""
    if isinstance(texts, str | os.PathLike):
        return read_texts(texts, column)
    return GivenTexts(tuple(map(one_line, texts)))


def _cells(table: RawTable, column: int) -> tuple[str, ...]:
    found = []
    for row, cells in enumerate(table.cells):
        text = one_line(cells[column] or "") if column < len(cells) else ""
        if not text:
            raise InputError(f"{table.where(row)}: there is nothing in this cell.")
        found.append(text)
    return tuple(found)
