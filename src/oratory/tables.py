"""Tables as plain values: the facts decide what they say, a report decides how they look."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isfinite
from typing import Any

TITLE = 80
"""Characters of a text above its table."""


@dataclass(frozen=True)
class Table:
    """Cells as text. The first columns are words, to the left; the others are figures, to the right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """How many columns are words."""
    note: str = ""

    def html(self) -> str:
        """A table element; everything in it is escaped."""

        def row(cells: Sequence[str], tag: str) -> str:
            marked = (f"<{tag}{_side(index >= self.words)}>{escape(cell)}</{tag}>" for index, cell in enumerate(cells))
            return f"<tr>{''.join(marked)}</tr>"

        head = row(self.columns, "th")
        body = "".join(row(cells, "td") for cells in self.rows)
        note = f"<p>{escape(self.note)}</p>" if self.note else ""
        caption = f"<caption>{escape(self.title)}</caption>"
        return f"<table>{caption}<thead>{head}</thead><tbody>{body}</tbody></table>{note}"


class Tabled:
    """Facts that can be shown as tables, in a notebook too."""

    def tables(self) -> list[Table]:
        """The tables, in the order in which they are read."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.tables())


def number(value: float | None, digits: int = 0) -> str:
    """A figure with thousands marked; a dash for what there is not."""
    return "–" if value is None else f"{value:,.{digits}f}"


def percent(value: float | None) -> str:
    """A share in percent, to a tenth."""
    return "–" if value is None else f"{100 * value:.1f}"


def finite(value: Any) -> float | None:
    """A figure, or None where there is none that JSON could hold."""
    is_figure = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_figure and isfinite(value) else None


def shortened(text: str, longest: int) -> str:
    """A text cut to a number of characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _side(is_figure: bool) -> str:
    return ' style="text-align:right"' if is_figure else ""
