"""Tables on the terminal."""

from collections.abc import Sequence
from dataclasses import replace

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from oratory.tables import Table, printable

WIDTH = 120
"""The width in columns where the output is not a terminal."""

NAME = 18
"""A column of words may shrink to this width."""

WORD = 40
"""A single word that is longer than this may be cut."""


def print_tables(tables: Sequence[Table], heading: str = "") -> None:
    """Print tables to stdout. A table that needs more than the width of the screen gets it: no number is cut."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    if heading:
        console.print(Text(printable(heading), style="bold"), end="\n\n")
    for table in tables:
        table = _printable(table)
        console.width = max(console.width, _least_width(table))
        console.print(_rich(table))
        if table.note:
            console.print(Text(printable(table.note), style="dim"))
        console.print()


def _printable(table: Table) -> Table:
    """The table with nothing in its cells that a terminal would obey."""
    rows = tuple(tuple(map(printable, row)) for row in table.rows)
    return replace(table, columns=tuple(map(printable, table.columns)), rows=rows)


def _rich(table: Table) -> RichTable:
    made = RichTable(
        title=Text(printable(table.title), style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False
    )
    for index, (column, least) in enumerate(zip(table.columns, _least(table), strict=True)):
        made.add_column(Text(column), justify="right" if index >= table.words else "left", min_width=least)
    for row in table.rows:
        # Rich would read a str as markup; a text from a corpus must be printed as it is.
        made.add_row(*map(Text, row))
    return made


def _least(table: Table) -> list[int]:
    """The least width of each column: numbers are shown whole, words may wrap."""
    least = []
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        longest = max(map(cell_len, cells), default=1)
        if index >= table.words:
            least.append(max(cell_len(column), longest))
            continue
        # A name such as the id of a run cannot be broken, and a part of it is of no use.
        word = max((cell_len(part) for cell in (column, *cells) for part in cell.split()), default=1)
        least.append(max(min(longest, NAME), min(word, WORD)))
    return least


def _least_width(table: Table) -> int:
    return sum(_least(table)) + 3 * len(table.columns)
