"""Rows of text and label from TSV, CSV, JSONL and Parquet files.

Columns are found by name or, in a file without a header, by their content. Where either column could be the label,
nothing is guessed.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oratory.errors import InputError, unknown
from oratory.files import read_bytes, read_lines, read_text
from oratory.text.corpus import one_line

TEXT_NAMES = ("text", "sentence", "content", "review", "document", "utterance", "tweet", "body")
LABEL_NAMES = ("label", "labels", "class", "target", "category", "sentiment", "speaker", "author")


@dataclass(frozen=True)
class LabelledText:
    """One text with its label, and its file and line for messages."""

    text: str
    label: str
    where: str


@dataclass(frozen=True)
class RawTable:
    """Cells as text. `columns` is None in a file without a header; a cell that is missing is None."""

    path: str
    columns: tuple[str, ...] | None
    cells: tuple[tuple[str | None, ...], ...]
    lines: tuple[int, ...]

    def where(self, row: int) -> str:
        return f"{self.path}, line {self.lines[row]}"


def read_table(path: Path, named: Sequence[str] = ()) -> RawTable:
    """The file as a table, in the format of its ending. A first line with one of the names is a header."""
    table = READERS[path.suffix](path, named)
    if not table.cells:
        raise InputError(f"{path} holds no rows, only a header.")
    return table


def read_labelled(path: Path) -> list[LabelledText]:
    """A `*_CLS.tsv` file: label, tab, text; no header. Further tabs belong to the text."""
    rows = []
    for number, line in read_lines(path):
        label, tab, text = line.partition("\t")
        if not tab:
            raise InputError(f"{path}, line {number}: no tab; write label, tab, text.")
        rows.append(_row(text, label, f"{path}, line {number}"))
    return rows


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


def find_text(table: RawTable, asked: str | None) -> int:
    """The index of the text column in a table with a header."""
    return _by_name(table, asked, TEXT_NAMES, "text")


def rows_of(table: RawTable, text: int, label: int) -> list[LabelledText]:
    """The text and label columns, row by row."""
    rows = []
    for index, cells in enumerate(table.cells):
        where = table.where(index)
        wanted = len(table.columns or "12")
        if len(cells) != wanted:
            raise InputError(f"{where}: {len(cells)} column(s) where there should be {wanted}.")
        rows.append(_row(cells[text] or "", cells[label] or "", where))
    return rows


def _row(text: str, label: str, where: str) -> LabelledText:
    row = LabelledText(one_line(text), one_line(label), where)
    if not row.label:
        raise InputError(f"{where}: the label is missing, or is neither text nor a number.")
    if not row.text:
        raise InputError(f"{where}: the text is missing, or is no text.")
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


def _with_header(path: Path, records: list[tuple[int, list[str]]], named: Sequence[str]) -> RawTable:
    """A table from delimited records; the first is the header if it has a usual name, or one that the user named."""
    first = tuple(cell.strip() for cell in records[0][1])
    columns = None
    if {*first, *map(str.casefold, first)} & {*named, *TEXT_NAMES, *LABEL_NAMES}:
        columns = first
        records = records[1:]
    cells = tuple(tuple(record) for _, record in records)
    return RawTable(str(path), columns, cells, tuple(number for number, _ in records))


def _read_tsv(path: Path, named: Sequence[str]) -> RawTable:
    # No quoting: a quotation mark in a TSV file is part of the text.
    return _with_header(path, [(number, line.split("\t")) for number, line in read_lines(path)], named)


def _read_csv(path: Path, named: Sequence[str]) -> RawTable:
    text = read_text(path)
    csv.field_size_limit(max(len(text), 131_072))
    records: list[tuple[int, list[str]]] = []
    start = 1
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for record in reader:
            if any(cell.strip() for cell in record):
                records.append((start, record))
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}, line {start}: not CSV ({error}).") from None
    if not records:
        raise InputError(f"{path} holds no text: every line is blank.")
    return _with_header(path, records, named)


def _read_jsonl(path: Path, _: Sequence[str]) -> RawTable:
    records: list[tuple[int, dict[str, Any]]] = []
    for number, line in read_lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}, line {number}: not JSON ({error}).") from None
        if not isinstance(record, dict):
            raise InputError(f'{path}, line {number}: not an object such as {{"text": "...", "label": "..."}}.')
        records.append((number, record))
    columns = tuple(dict.fromkeys(key for _, record in records for key in record))
    cells = tuple(
        tuple(_cell(record.get(column), column, f"{path}, line {number}") for column in columns)
        for number, record in records
    )
    return RawTable(str(path), columns, cells, tuple(number for number, _ in records))


def _read_parquet(path: Path, _: Sequence[str]) -> RawTable:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(pa.BufferReader(read_bytes(path)))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is not a Parquet file that can be read ({str(error).splitlines()[0]}).") from None
    return table_of(str(path), table.column_names, table.to_pydict())


def table_of(path: str, columns: Sequence[str], values: dict[str, list[Any]]) -> RawTable:
    """A table from columns of Python values; lines are rows, counted from 1."""
    count = len(values[columns[0]]) if columns else 0
    cells = tuple(
        tuple(_cell(values[column][row], column, f"{path}, row {row + 1}") for column in columns)
        for row in range(count)
    )
    return RawTable(path, tuple(columns), cells, tuple(range(1, count + 1)))


def _cell(value: Any, column: str, where: str) -> str | None:
    """Text and numbers as text; None for anything else, which only matters if the column is used."""
    if isinstance(value, str):
        if "\0" in value:
            raise InputError(f"{where}: a NUL byte in {column!r}; this is not text.")
        if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
            raise InputError(f"{where}: half of a surrogate pair in {column!r}; this is not Unicode text.")
        return value
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value)):
        return str(int(value)) if value == int(value) else str(value)
    return None


READERS: dict[str, Callable[[Path, Sequence[str]], RawTable]] = {
    ".tsv": _read_tsv,
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
    ".parquet": _read_parquet,
}
"""The formats of tables, by the ending of the file's name."""
