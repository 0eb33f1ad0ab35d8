"""Runs as a table for other programs: CSV or Parquet, a row for each run or for each figure of each evaluation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from oratory.errors import InputError
from oratory.files import write_bytes
from oratory.runs.entry import Entry, as_text
from oratory.runs.filters import COLUMNS, keys_of, value_of
from oratory.runs.run import Run
from oratory.tables import finite, no_formula

KINDS = (".csv", ".parquet")
ABOUT = ("run", "task", "corpus", "variant", "seed", "status")
"""What every row of the metrics says of its run."""
PLACE = ("step", "epoch", "seconds")


def check_path(path: Path) -> None:
    """Refuse a name that does not say what to write."""
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path} does not say what to write: its name should end in {' or '.join(KINDS)}.")


def write_table(path: Path, table: pa.Table) -> None:
    """Write a table as the kind of file that the name says."""
    check_path(path)
    sink = pa.BufferOutputStream()
    if path.suffix.lower() == ".csv":
        pyarrow.csv.write_csv(_without_formulas(table), sink)
    else:
        pyarrow.parquet.write_table(table, sink, compression="zstd")
    write_bytes(path, sink.getvalue().to_pybytes())


def _without_formulas(table: pa.Table) -> pa.Table:
    """The table with texts that no spreadsheet takes for formulas."""
    columns = {
        no_formula(name): pa.array([None if cell is None else no_formula(cell) for cell in column.to_pylist()])
        if pa.types.is_string(column.type)
        else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


def runs_table(entries: Sequence[Entry]) -> pa.Table:
    """A row for each run: its facts, figures and settings."""
    have = {name for entry in entries for name in entry.figures}
    have |= {name for entry in entries for name in entry.settings}
    keys = [key for key in keys_of(entries) if key in COLUMNS or key in have]
    return pa.table({key: _column([value_of(entry, key) for entry in entries]) for key in keys})


def metrics_table(entries: Iterable[Entry], folder: Path) -> pa.Table:
    """A row for each figure of each evaluation; runs that cannot be read have none."""
    keys = (*ABOUT, *PLACE, "figure", "value")
    rows = [row for entry in entries if entry.task for row in _evaluations(entry, folder)]
    columns: list[Sequence[Any]] = list(zip(*rows, strict=True)) or [()] * len(keys)
    return pa.table({key: _column(values) for key, values in zip(keys, columns, strict=True)})


def _evaluations(entry: Entry, folder: Path) -> Iterator[tuple[Any, ...]]:
    about = [value_of(entry, key) for key in ABOUT]
    for evaluation in Run.read(folder / entry.id).history():
        place = [evaluation.get(key) for key in PLACE]
        for figure, value in _flat(evaluation).items():
            if figure not in PLACE:
                yield (*about, *place, figure, finite(value))


def _flat(evaluation: Mapping[str, Any]) -> dict[str, Any]:
    """`{"perplexity": {"train": 1}}` as `{"perplexity.train": 1}`."""
    flat: dict[str, Any] = {}
    for name, value in evaluation.items():
        flat |= {f"{name}.{part}": found for part, found in value.items()} if isinstance(value, dict) else {name: value}
    return flat


def _column(values: Sequence[Any]) -> pa.Array:
    """Numbers as numbers and switches as switches, where all of a column are; else text as on the command line."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int} and all(value is None or -(2**63) <= value < 2**63 for value in values):
        return pa.array(values, pa.int64())
    if kinds and kinds <= {int, float}:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    if kinds == {bool}:
        return pa.array(values, pa.bool_())
    return pa.array([None if value is None else as_text(value) for value in values], pa.string())
