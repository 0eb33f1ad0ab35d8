"""Tables from TSV, CSV, JSONL and Parquet files, with limits on all that is read."""

import csv
import io
import json
import math
import sys
from array import array
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from oratory.errors import InputError
from oratory.files import LONGEST_LINE, check_regular, every_line, read_bytes, read_lines
from oratory.text.header import check_first
from oratory.text.table import LABEL_NAMES, MOST_COLUMNS, TEXT_NAMES, RawTable, Wanted, chosen_columns

MOST_ROWS = 10_000_000
MOST_BYTES = 1 << 30
"""Of a table once it is unpacked: a small file can hold a text a billion times."""
SHORT = 40
"""Characters of a cell that may be one of many."""
ROWS_AT_ONCE = 1000
"""So few that, even if each cell is as long as it may be, they fit in memory before they are measured."""


def read_table(path: Path, wanted: Wanted) -> RawTable:
    """The file as a table, in the format of its ending. A first line with one of the names is a header.

    Of a format whose columns have names, only the columns that are wanted are read.
    """
    table = READERS[path.suffix](path, wanted)
    check_size(str(path), len(table.cells), 0)
    if not table.cells:
        raise InputError(f"{path} holds no rows, only a header.")
    return table


def _with_header(path: Path, records: list[tuple[int, tuple[str, ...]]], wanted: Wanted) -> RawTable:
    """A table from delimited records; the first is the header if it has a usual name, or one that the user named."""
    first = tuple(cell.strip() for cell in records[0][1])
    columns = None
    named = {name for name in (wanted.text, wanted.label, wanted.group) if name}
    if {*first, *map(str.casefold, first)} & {*named, *TEXT_NAMES, *LABEL_NAMES}:
        columns = first
        records = records[1:]
        chosen_columns(str(path), columns, wanted)
    else:
        check_first(path, first, [record for _, record in records[1:]])
    cells = tuple(record for _, record in records)
    return RawTable(str(path), columns, cells, tuple(number for number, _ in records))


def _read_tsv(path: Path, wanted: Wanted) -> RawTable:
    _check_file(path)
    # No quoting: a quotation mark in a TSV file is part of the text.
    return _with_header(path, [(number, _shared(line.split("\t"))) for number, line in read_lines(path)], wanted)


def _shared(cells: Sequence[str]) -> tuple[str, ...]:
    """The cells of a row. Short ones, such as labels, come in many rows, and are kept once."""
    return tuple(sys.intern(cell) if len(cell) <= SHORT else cell for cell in cells)


def _read_csv(path: Path, wanted: Wanted) -> RawTable:
    csv.field_size_limit(max(_check_file(path), 131_072))
    records: list[tuple[int, tuple[str, ...]]] = []
    start = 1
    reader = csv.reader(_csv_lines(path), strict=True)
    try:
        for record in reader:
            longest = max(map(len, record), default=0)
            if longest > LONGEST_LINE:  # In quotes a cell has many lines.
                raise _too_long(f"{path}, line {start}", longest)
            if any(cell.strip() for cell in record):
                records.append((start, _shared(record)))
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{path}, line {start}: not CSV ({error}).") from None
    if not records:
        raise InputError(f"{path} holds no text: every line is blank.")
    return _with_header(path, records, wanted)


def _csv_lines(path: Path) -> Iterator[str]:
    """The lines of a file, which a carriage return ends too, as they are read."""
    for line in every_line(path):
        yield from io.StringIO(f"{line}\n", newline="") if "\r" in line else (f"{line}\n",)


def _read_jsonl(path: Path, wanted: Wanted) -> RawTable:
    _check_file(path)
    keys: dict[str, None] = {}
    for number, record in _json_records(path):
        keys |= dict.fromkeys(record)
        if len(keys) > MOST_COLUMNS:
            raise InputError(f"{path}, line {number}: more than {MOST_COLUMNS:,} different keys up to here.")
    columns = chosen_columns(str(path), list(keys), wanted)
    lines = array("q")
    cells = []
    # Read again, so that of all other columns nothing is kept.
    for number, record in _json_records(path):
        lines.append(number)
        where = f"{path}, line {number}"
        cells.append(tuple(_cell(record.get(column), column, where) for column in columns))
    return RawTable(str(path), tuple(columns), tuple(cells), lines)


def _json_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The object of every line, with its number."""
    for number, line in read_lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}, line {number}: not JSON ({error}).") from None
        if not isinstance(record, dict):
            raise InputError(f'{path}, line {number}: not an object such as {{"text": "...", "label": "..."}}.')
        yield number, record


def _read_parquet(path: Path, wanted: Wanted) -> RawTable:
    import pyarrow as pa

    try:
        values = _parquet_values(str(path), pa.BufferReader(read_bytes(path)), wanted)
    except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError, KeyError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path} is not a Parquet file that can be read ({reason}).") from None
    return table_of(str(path), list(values), values)


def _parquet_values(path: str, source: Any, wanted: Wanted) -> dict[str, list[Any]]:
    """The values of the wanted columns, which are measured as they are unpacked, and only then kept.

    What the file says of their sizes is not asked: it may be wrong, and PyArrow ends the process at some damage there.
    """
    import pyarrow.parquet as pq

    about = pq.read_metadata(source)
    check_size(path, about.num_rows, 0)
    schema = about.schema.to_arrow_schema()
    columns = chosen_columns(path, schema.names, wanted)
    for name in columns:
        _check_kind(path, name, schema.field(name).type)
    # Each text is unpacked once, however many rows have it.
    texts = [name for name in columns if _is_text(schema.field(name).type)]
    file = pq.ParquetFile(source, read_dictionary=texts)
    rows = size = 0
    for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
        size += sum(_unpacked(batch[name], f"{path}, row", rows) for name in columns)
        rows += len(batch)
        check_size(path, rows, size)
    values: dict[str, list[Any]] = {name: [] for name in columns}
    for batch in file.iter_batches(ROWS_AT_ONCE, columns=columns):
        for name in columns:
            values[name] += batch[name].to_pylist()
    return values


def _check_file(path: Path) -> int:
    """Refuse a file of text that is too large; returns its bytes."""
    size = check_regular(path).stat().st_size
    check_size(str(path), 0, size)
    return size


def check_size(path: str, rows: int, size: int) -> None:
    """Refuse a table that is too large to be held as text."""
    if rows > MOST_ROWS:
        raise InputError(f"{path} has {rows:,} rows; at most {MOST_ROWS:,} are read.")
    if size > MOST_BYTES:
        raise InputError(
            f"{path} is {size:,} bytes or more once it is unpacked; at most {MOST_BYTES:,} are read, since tables are "
            "held in memory. Files of the reference layout (train_CLS.tsv, train_LM.txt) may be larger."
        )


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _check_kind(path: str, column: str, kind: Any) -> None:
    """Refuse a column that is neither text nor numbers, before its values are unpacked."""
    import pyarrow as pa

    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    tests = (_is_text, pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_null)
    if not any(test(plain) for test in tests):
        name = str(kind) if len(str(kind)) <= 60 else f"{str(kind)[:60]}..."
        raise InputError(f"{path}: the column {column!r} is of the type {name}; only text and numbers are read.")


def _unpacked(column: Any, where: str, begin: int) -> int:
    """Bytes of a column whose every row has its own value; a text that is too long is refused."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _is_text(column.type):
        return int(column.nbytes)
    packed = pa.types.is_dictionary(column.type)
    texts = column.dictionary if packed else column
    if (pc.max(pc.utf8_length(texts)).as_py() or 0) > LONGEST_LINE:
        lengths = pc.utf8_length(texts)
        lengths = pc.take(lengths, column.indices) if packed else lengths
        row = pc.index(pc.greater(lengths, LONGEST_LINE), True).as_py()
        if row >= 0:
            raise _too_long(f"{where} {begin + row + 1}", lengths[row].as_py())
    sizes = pc.binary_length(texts)
    return int(pc.sum(pc.take(sizes, column.indices) if packed else sizes).as_py() or 0)


def _too_long(where: str, length: int) -> InputError:
    return InputError(f"{where}: {length:,} characters in one cell; at most {LONGEST_LINE:,} are read.")


def table_of(path: str, columns: Sequence[str], values: dict[str, list[Any]]) -> RawTable:
    """A table from columns of Python values; lines are rows, counted from 1."""
    count = len(values[columns[0]]) if columns else 0
    cells = tuple(zip(*(_cells(values[column], column, path) for column in columns), strict=True))
    return RawTable(path, tuple(columns), cells, tuple(range(1, count + 1)))


def _cells(values: Sequence[Any], column: str, path: str) -> Iterator[str | None]:
    for row, value in enumerate(values, 1):
        yield None if value is None else _cell(value, column, f"{path}, row {row}")


def _cell(value: Any, column: str, where: str) -> str | None:
    """Text and numbers as text; None for anything else, which only matters if the column is used."""
    if isinstance(value, str):
        if len(value) > LONGEST_LINE:
            raise _too_long(where, len(value))
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


READERS: dict[str, Callable[[Path, Wanted], RawTable]] = {
    ".tsv": _read_tsv,
    ".csv": _read_csv,
    ".jsonl": _read_jsonl,
    ".parquet": _read_parquet,
}
"""The formats of tables, by the ending of the file's name."""
