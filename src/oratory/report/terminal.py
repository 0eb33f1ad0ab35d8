"""Tables on the terminal."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from oratory.tables import Table

WIDTH = 120
"""Columns where the output is no terminal, and so has no width of its own."""


def print_tables(tables: Sequence[Table], heading: str = "") -> None:
    """Print to stdout."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    if heading:
        console.print(Text(heading, style="bold"), end="\n\n")
    for table in tables:
        console.print(_rich(table))
        if table.note:
            console.print(Text(table.note, style="dim"))
        console.print()


def _rich(table: Table) -> RichTable:
    made = RichTable(title=Text(table.title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for index, column in enumerate(table.columns):
        is_figure = index >= table.words
        made.add_column(Text(column), justify="right" if is_figure else "left", no_wrap=is_figure)
    for row in table.rows:
        # Text and not str: what stands in a corpus must not be read as markup.
        made.add_row(*map(Text, row))
    return made
