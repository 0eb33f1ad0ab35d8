"""A report as PDF, and pictures as PDF for LaTeX, made by Typst.

Texts and pictures go to the compiler as data, never as markup. Only the fonts of Typst and Matplotlib are used, so that
the same document gives the same bytes on every machine with the same versions of both. They have Latin, Greek,
Cyrillic, Armenian, Georgian, Hebrew and Arabic letters and most symbols. Other letters, such as Chinese, Japanese,
Korean, Thai and Ethiopic ones, are shown as empty boxes; the other formats show them.
"""

import json
import math
import re
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oratory.reports.document import Document, Figure, Section
from oratory.tables import Table

if TYPE_CHECKING:
    from typst import Fonts

LARGEST, SMALLEST = 9.0, 6.0
"""The largest and the smallest font size of a table, in points."""

LONG, PIECES, PAGE = 18, 3, 40
"""From this number of rows on a narrow table is cut, the most pieces that it is cut into, and the most rows of one."""

_LINE = 170 / 25.4 * 72
_LETTER = 0.5
"""The width of a line in points, and the width of an average letter as a share of the font size."""

_LONGEST_WORD = 24


def render(document: Document) -> bytes:
    """The document as A4 pages."""
    template = files("oratory.reports").joinpath("templates/page.typ").read_bytes()
    report = {
        "title": document.title,
        "lead": document.lead,
        "sections": [_section(section) for section in document.sections],
        "footer": document.footer,
    }
    return _compile(template, report=json.dumps(report, ensure_ascii=False))


def picture(figure: Figure) -> bytes:
    """One picture as a page of its own size, for LaTeX to include."""
    template = b"""
        #set document(date: none)
        #set page(width: auto, height: auto, margin: 0pt, fill: none)
        #image(bytes(sys.inputs.svg), format: "svg", alt: sys.inputs.caption)
    """
    return _compile(template, svg=figure.svg, caption=figure.caption)


def _compile(template: bytes, **inputs: str) -> bytes:
    import typst

    # The name of a file may hold characters that cannot be written as UTF-8; they become question marks.
    inputs = {name: text.encode("utf-8", "replace").decode("utf-8") for name, text in inputs.items()}
    made = typst.compile(template, format="pdf", font_paths=_fonts(), sys_inputs=inputs)
    assert isinstance(made, bytes)
    return made


@cache
def _fonts() -> "Fonts":
    import matplotlib
    import typst

    return typst.Fonts(include_system_fonts=False, font_paths=[Path(matplotlib.get_data_path()) / "fonts" / "ttf"])


def _section(section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "lead": section.lead,
        "sentences": list(section.sentences),
        "figures": [{"svg": figure.svg, "caption": figure.caption} for figure in section.figures],
        "tables": [_table(part) for table in section.tables for part in _parts(table)],
        "code": section.code,
    }


def _table(table: Table) -> dict[str, Any]:
    size = min(LARGEST, max(SMALLEST, _LINE / _LETTER / sum(_widths(table))))
    return {
        "title": table.title,
        "columns": [_breakable(column) for column in table.columns],
        "rows": [[_breakable(cell) for cell in row] for row in table.rows],
        "words": table.words,
        "note": table.note,
        "size": round(size, 1),
        "across": _across(table),
    }


def _across(table: Table) -> int:
    """Into how many pieces a long table is cut that stand side by side, where it is narrow enough for that."""
    if len(table.rows) < LONG:
        return 1
    cells = zip(table.columns, *table.rows, strict=True)
    letters = sum(max(map(len, column)) + 3 for column in cells)
    pieces = max(1, min(PIECES, int(_LINE / (_LETTER * LARGEST * letters))))
    return pieces if len(table.rows) <= pieces * PAGE else 1  # Pieces that go on over the page would be hard to read.


def _breakable(text: str) -> str:
    """Text in which a word too long for a column may break anywhere."""
    return re.sub(rf"\S{{{_LONGEST_WORD}}}(?=\S)", lambda word: word[0] + "\u200b", text)


def _parts(table: Table) -> list[Table]:
    """The table or, if a line cannot hold all of its columns, several tables; each has the columns of words."""
    widths = _widths(table)
    room = _LINE / _LETTER / SMALLEST - sum(widths[: table.words])
    figures = range(table.words, len(table.columns))
    count = max(1, math.ceil(sum(widths[table.words :]) / max(room, max(widths))))
    if count == 1:
        return [table]
    # The columns are divided evenly, so that all parts have one font size.
    share = math.ceil(len(figures) / count)
    parts = [list(figures[at : at + share]) for at in range(0, len(figures), share)]
    return [_columns(table, part, number, len(parts)) for number, part in enumerate(parts, 1)]


def _columns(table: Table, columns: list[int], number: int, count: int) -> Table:
    chosen = [*range(table.words), *columns]
    return Table(
        f"{table.title} ({number} of {count})",
        tuple(table.columns[at] for at in chosen),
        tuple(tuple(row[at] for at in chosen) for row in table.rows),
        table.words,
        table.note if number == count else "",
    )


def _widths(table: Table) -> list[int]:
    """The fewest letters that each column needs: numbers are never broken, text may break between words."""
    widths = []
    for at, column in enumerate(table.columns):
        words = max(map(len, column.split()), default=0)
        for row in table.rows:
            pieces = [row[at]] if at >= table.words else row[at].split()
            words = max([words, *map(len, pieces)])
        widths.append(min(words, _LONGEST_WORD) + 2)
    return widths
