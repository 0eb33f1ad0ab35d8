"""Tables on the terminal."""

import os
from collections.abc import Sequence
from dataclasses import replace
from textwrap import fill

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from oratory.reports.ramp import shade
from oratory.tables import Table, printable

WIDTH = 120
"""The width in columns where the output is not a terminal."""

NAME = 18
"""A column of words may shrink to this width."""

GAP = 3
"""Columns of the screen between two columns of a table."""

STYLES = {
    "passed": "green",
    "failed": "bold red",
    "better": "bold green",
    "worse": "bold red",
    "no difference shown": "dim",
    "no verdict": "yellow",
    "diverged": "red",
    "damaged": "red",
    "interrupted": "yellow",
}
"""Words of tables that have a colour on a terminal; it has none with NO_COLOR, nor where the output is no terminal."""

WORD = 40
"""A single word that is longer than this may be cut."""


def print_tables(tables: Sequence[Table], heading: str = "") -> None:
    """Print tables to stdout. One that is too wide for the screen goes on below itself: no number is cut."""
    console = Console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(width=WIDTH)
    screen = console.width
    if heading:
        console.print(Text(printable(heading), style="bold"), end="\n\n")
    for table in tables:
        if table.title:  # Not as the title of a table of Rich, which would wrap at the width of that table.
            console.print(Text(printable(table.title), style="bold"))
        for part in parts_of(_printable(table), screen):
            console.width = max(screen, sum(_least(part)) + GAP * len(part.columns))
            console.print(_rich(part, console.width))
        console.width = screen
        if table.note:
            console.print(Text(printable(table.note), style="dim"))
        console.print()


def point(sentence: str) -> str:
    """A sentence of a list. On a terminal it wraps between words; elsewhere it is one line, which can be searched."""
    console = Console()
    if not console.is_terminal:
        return f"- {sentence}"
    return fill(sentence, console.width, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)


def parts_of(table: Table, width: int) -> list[Table]:
    """The table in parts that fit a width, one below the other; each begins with the first column.

    A part has two columns at least, even where these are wider than the screen.
    """
    least = _least(table)
    parts: list[list[int]] = [[0]]
    for at in range(1, len(least)):
        room = width - sum(least[column] + GAP for column in parts[-1])
        if len(parts[-1]) > 1 and least[at] + GAP > room:
            parts.append([0])
        parts[-1].append(at)
    return [_part(table, columns) for columns in parts]


def _part(table: Table, columns: list[int]) -> Table:
    """Some columns of a table."""
    return replace(
        table,
        columns=tuple(table.columns[column] for column in columns),
        rows=tuple(tuple(row[column] for column in columns) for row in table.rows),
        words=sum(column < table.words for column in columns),
    )


def _printable(table: Table) -> Table:
    """The table with nothing in its cells that a terminal would obey."""
    rows = tuple(tuple(map(printable, row)) for row in table.rows)
    return replace(table, columns=tuple(map(printable, table.columns)), rows=rows)


def _rich(table: Table, width: int) -> RichTable:
    made = RichTable(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for index, (column, wide) in enumerate(zip(table.columns, _widths(table, width), strict=True)):
        made.add_column(Text(column), justify="right" if index >= table.words else "left", width=wide)
    for at, row in enumerate(table.rows):
        # Rich would read a str as markup; a text from a corpus must be printed as it is.
        cells = [Text(cell, style=style_of(cell)) for cell in row]
        share = table.shades[at] if table.shades else None
        if share is not None:
            paper, ink = shade(share)
            cells[0] = Text(row[0], style=f"{ink} on {paper}")
        made.add_row(*cells)
    return made


def style_of(cell: str) -> str:
    """The colour of a word that says how something went; a console without colours leaves it out."""
    return STYLES.get(cell.partition(" (")[0].partition(":")[0], "")


def _widths(table: Table, width: int) -> list[int]:
    """The width of each column: what its cells need, or their least and a share of the room that is left."""
    least, wanted = _least(table), _wanted(table)
    missing = [most - few for most, few in zip(wanted, least, strict=True)]
    room = width - sum(least) - GAP * len(least)
    if room >= sum(missing):
        return wanted
    return [few + max(0, room) * more // sum(missing) for few, more in zip(least, missing, strict=True)]


def _wanted(table: Table) -> list[int]:
    """The width of each column where nothing wraps."""
    cells = zip(table.columns, *table.rows, strict=True)
    return [max((cell_len(line) for cell in column for line in cell.split("\n")), default=1) for column in cells]


def _least(table: Table) -> list[int]:
    """The least width of each column: numbers are shown whole, words and headings may wrap."""
    least = []
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        heading = max(map(cell_len, column.split()), default=1)
        longest = max(map(cell_len, cells), default=1)
        if index >= table.words:
            least.append(max(heading, longest))
            continue
        # A name such as the id of a run cannot be broken, and a part of it is of no use.
        word = max((cell_len(part) for cell in cells for part in cell.split()), default=1)
        least.append(max(min(longest, NAME), min(word, WORD), heading))
    return least
