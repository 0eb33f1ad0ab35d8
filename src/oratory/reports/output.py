"""Documents as files; the ending of a name decides the format."""

import csv
import hashlib
import io
import os
import re
from collections.abc import Callable
from pathlib import Path

from oratory.errors import InputError
from oratory.files import write_bytes
from oratory.reports.document import Document, slug
from oratory.tables import Table, no_formula


def write(document: Document, path: Path) -> tuple[Path, ...]:
    """Write a document and return the files that were written, the main one first.

    `.html` and `.pdf` are one file each. `.md` and `.tex` have their pictures beside them, in a folder of their own:
    `report-figures` for `report.md`. `.csv` is the first table of the document. Each of the others has its title in its
    name: `report-verdicts.csv`.
    """
    kind = kind_of(path)
    contents = kind(document, path)
    for name, content in contents.items():
        write_bytes(name, content)
    return tuple(contents)


def kind_of(path: Path) -> Callable[[Document, Path], dict[Path, bytes]]:
    """The function that makes the files for a name with this ending."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        *others, last = KINDS
        raise InputError(f"{path} does not say what to write: its name should end in {', '.join(others)} or {last}.")
    return kind


def write_all(document: Document, folder: Path) -> tuple[Path, ...]:
    """Write every format into one folder: `report` as HTML, PDF, Markdown and LaTeX, `report-figures` and `tables`."""
    contents: dict[Path, bytes] = {}
    for suffix in (".html", ".pdf", ".md", ".tex"):
        contents |= KINDS[suffix](document, folder / f"report{suffix}")
    contents |= {folder / "tables" / f"{name}.csv": _csv(table) for name, table in document.tables.items()}
    for path, content in contents.items():
        write_bytes(path, content)
    return tuple(contents)


def write_document(document: Document, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write one file where the name has an ending, and otherwise a folder with every format."""
    target = Path(path)
    return write(document, target) if target.suffix else write_all(document, target)


def _html(document: Document, path: Path) -> dict[Path, bytes]:
    from oratory.reports import html

    return {path: _utf8(html.render(document))}


def _pdf(document: Document, path: Path) -> dict[Path, bytes]:
    from oratory.reports import pdf

    return {path: pdf.render(document)}


def _markdown(document: Document, path: Path) -> dict[Path, bytes]:
    from oratory.reports import markdown
    from oratory.reports.svg import standalone

    folder = figures_of(path)
    drawn = {path.parent / folder / f"{figure.name}.svg": _utf8(standalone(figure)) for figure in document.figures}
    return {path: _utf8(markdown.render(document, folder)), **drawn}


def _latex(document: Document, path: Path) -> dict[Path, bytes]:
    from oratory.reports import latex, pdf

    folder = figures_of(path)
    drawn = {path.parent / folder / f"{figure.name}.pdf": pdf.picture(figure) for figure in document.figures}
    return {path: _utf8(latex.render(document, folder)), **drawn}


def figures_of(path: Path) -> str:
    """The folder of a report's pictures: its own, so that a second report leaves those of the first alone."""
    plain = slug(path.stem)
    if plain != path.stem:  # Two names may become one once they are safe for a link and for LaTeX.
        plain += f"-{hashlib.sha256(os.fsencode(path.stem)).hexdigest()[:6]}"
    return f"{plain}-figures"


def _tables(document: Document, path: Path) -> dict[Path, bytes]:
    tables = document.tables
    if not tables:
        raise InputError(f"This report has no table to write to {path}; choose another format.")
    first, *others = tables.items()
    beside = {path.with_name(f"{path.stem}-{name}{path.suffix}"): _csv(table) for name, table in others}
    return {path: _csv(first[1]), **beside}


def _csv(table: Table) -> bytes:
    made = io.StringIO()
    rows = [[cell if at < table.words else _number(cell) for at, cell in enumerate(row)] for row in table.rows]
    # The writer quotes a cell with a line feed in it, but not one with a carriage return, which ends a row for readers.
    cells = [[no_formula(cell).replace("\r", "\n") for cell in row] for row in (table.columns, *rows)]
    csv.writer(made, lineterminator="\n").writerows(cells)
    return _utf8(made.getvalue())


def _number(cell: str) -> str:
    """A number as programs read it: no thousands separators, a plain minus, and nothing for a missing value."""
    if cell == "–":
        return ""
    plain = cell.replace("−", "-")
    return plain.replace(",", "") if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?%?", plain) else plain


def _utf8(text: str) -> bytes:
    # The name of a file may hold characters that cannot be written as UTF-8; they become question marks.
    return text.encode("utf-8", "replace")


KINDS: dict[str, Callable[[Document, Path], dict[Path, bytes]]] = {
    ".html": _html,
    ".pdf": _pdf,
    ".md": _markdown,
    ".tex": _latex,
    ".csv": _tables,
}
"""For each ending: a function that makes the files, as a mapping from their paths to their content."""
