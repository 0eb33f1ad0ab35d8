"""Tables as plain values: the facts decide what they say, a report decides how they look."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from html import escape
from math import inf, isfinite
from typing import Any

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a terminal obeys instead of showing them, and halves of characters; not tabs and line ends."""
_FORMULA = re.compile(r"\s*[=@\t\r]|\s*[-+](?![-+\d.,%\s…–±×to]*$)")
"""How a text begins that a spreadsheet computes, unless it is a figure with its sign, or an interval."""
HUGE = 1e12
"""From here on nobody reads the digits of a number, and what counts is how many there are."""
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
    shades: tuple[float | None, ...] = ()
    """A share from 0 to 1 for each row, which a terminal with colours shows behind the first cell."""

    def text(self) -> str:
        """The table in letters of one width, as `print` shows it."""
        rows = [tuple(map(printable, cells)) for cells in (self.columns, *self.rows)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]

        def line(cells: Sequence[str]) -> str:
            padded = (
                cell.rjust(wide) if index >= self.words else cell.ljust(wide)
                for index, (cell, wide) in enumerate(zip(cells, widths, strict=True))
            )
            return "   ".join(padded).rstrip()

        head, *body = map(line, rows)
        lines = [*([self.title] if self.title else []), head, "─" * max(map(len, [head, *body])), *body]
        return "\n".join([*lines, *([printable(self.note)] if self.note else [])])

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

    def __str__(self) -> str:
        return "\n\n".join(table.text() for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(table.html() for table in self.tables())

    def plot(self) -> "Plots":
        """The pictures of a report on this, for a notebook or a file."""
        return plots_of(self)


@dataclass(frozen=True)
class Plot:
    """One picture: an SVG element."""

    name: str
    svg: str
    caption: str


@dataclass(frozen=True)
class Plots:
    """Pictures that a notebook shows."""

    pictures: tuple[Plot, ...]

    def __len__(self) -> int:
        return len(self.pictures)

    def _repr_html_(self) -> str:
        return "".join(
            f"<figure>{each.svg}<figcaption>{escape(each.caption)}</figcaption></figure>" for each in self.pictures
        )


@singledispatch
def plots_of(result: object) -> Plots:
    """The pictures of a result. What can draw some says so here when it is loaded; this module knows of none."""
    return Plots(())


def number(value: float | None, digits: int = 0) -> str:
    """A figure with thousands marked; a dash for what there is not."""
    if value is None:
        return "–"
    return f"{value:.1e}" if HUGE <= abs(value) < inf else f"{value:,.{digits}f}"


def show_ends(interval: tuple[float, float] | None, show: Callable[[float], str]) -> str:
    """The two ends of an interval; a dash where there is none."""
    return "–" if interval is None else " to ".join(map(show, interval))


def duration(seconds: float) -> str:
    """Seconds as people say them."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def percent(value: float | None) -> str:
    """A share in percent, to a tenth."""
    return "–" if value is None else f"{100 * value:.1f}"


def plural(noun: str) -> str:
    """More than one of them; of `block of text`, the first word changes."""
    first, blank, rest = noun.partition(" ")
    if first.endswith(("s", "x", "z", "ch", "sh")):
        return f"{first}es{blank}{rest}"
    if first.endswith("y") and first[-2:-1] not in "aeiou":
        return f"{first[:-1]}ies{blank}{rest}"
    return f"{first}s{blank}{rest}"


def series(names: Sequence[str], word: str = "and") -> str:
    """Names as they are said: a, b and c."""
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


def counted(number: int, noun: str) -> str:
    """So many of them: `1 seed`, `2 seeds`."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def finite(value: Any) -> float | None:
    """A figure, or None where there is none that JSON could hold."""
    is_figure = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_figure and isfinite(value) else None


def printable(text: str) -> str:
    """A text for a terminal: what a terminal would obey is shown by its number, as in JSON and Python."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def no_formula(text: str) -> str:
    """A text for a cell of a CSV file. One that a spreadsheet would compute has an apostrophe before it."""
    return f"'{text}" if _FORMULA.match(text) else text


def in_markdown(text: str) -> str:
    """A text inside a line of Markdown, in which nothing is emphasis, code, a link, an element, a cell or a formula."""
    text = " ".join(text.split())
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    text = re.sub(r"([\\`*_\[\]>|#~])", r"\\\1", text)
    # A backslash before a dollar would still open a formula on GitHub.
    return text.replace("$", "&#36;")


def shortened(text: str, longest: int) -> str:
    """A text cut to a number of characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _side(is_figure: bool) -> str:
    return ' style="text-align:right"' if is_figure else ""
