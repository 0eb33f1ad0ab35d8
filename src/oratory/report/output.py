"""Documents as files: the ending of the name says which kind."""

import csv
import io
import os
import re
from collections.abc import Callable
from pathlib import Path

from oratory.errors import InputError
from oratory.files import write_bytes
from oratory.report.document import Document
from oratory.tables import Table


def write(document: Document, path: Path) -> tuple[Path, ...]:
    """Write a document and say which files there are now, the one that was asked for first.

    `.html` and `.pdf` are one file each. `.md` and `.tex` have their pictures beside them in `figures/`. `.csv` is the
    table where there is one; where there are several, each has its title in its name: `report-verdicts.csv`.
    """
    kind = kind_of(path)
    contents = kind(document, path)
    for name, content in contents.items():
        write_bytes(name, content)
    return tuple(contents)


def kind_of(path: Path) -> Callable[[Document, Path], dict[Path, bytes]]:
    """The renderer that the ending of a name asks for."""
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        *others, last = KINDS
        raise InputError(f"{path} does not say what to write: its name should end in {', '.join(others)} or {last}.")
    return kind


def write_all(document: Document, folder: Path) -> tuple[Path, ...]:
    """Every kind in one folder: `report.html`, `.pdf`, `.md` and `.tex`, and the folders `figures` and `tables`."""
    contents: dict[Path, bytes] = {}
    for suffix in (".html", ".pdf", ".md", ".tex"):
        contents |= KINDS[suffix](document, folder / f"report{suffix}")
    contents |= {folder / "tables" / f"{name}.csv": _csv(table) for name, table in document.tables.items()}
    for path, content in contents.items():
        write_bytes(path, content)
    return tuple(contents)


def write_report(document: Document, path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """One file where the name has an ending, else a folder with every kind; the main file first."""
    target = Path(path)
    return write(document, target) if target.suffix else write_all(document, target)


def _html(document: Document, path: Path) -> dict[Path, bytes]:
    from oratory.report import html

    return {path: _utf8(html.render(document))}


def _pdf(document: Document, path: Path) -> dict[Path, bytes]:
    from oratory.report import pdf

    return {path: pdf.render(document)}


def _markdown(document: Document, path: Path) -> dict[Path, bytes]:
    from oratory.report import markdown
    from oratory.report.svg import standalone

    drawn = {path.parent / "figures" / f"{figure.name}.svg": _utf8(standalone(figure)) for figure in document.figures}
    return {path: _utf8(markdown.render(document)), **drawn}


def _latex(document: Document, path: Path) -> dict[Path, bytes]:
    from oratory.report import latex, pdf

    drawn = {path.parent / "figures" / f"{figure.name}.pdf": pdf.picture(figure) for figure in document.figures}
    return {path: _utf8(latex.render(document)), **drawn}


def _tables(document: Document, path: Path) -> dict[Path, bytes]:
    tables = document.tables
    if not tables:
        raise InputError(f"There is no table to write into {path}; another kind of file can hold this report.")
    if len(tables) == 1:
        return {path: _csv(*tables.values())}
    return {path.with_name(f"{path.stem}-{name}{path.suffix}"): _csv(table) for name, table in tables.items()}


def _csv(table: Table) -> bytes:
    made = io.StringIO()
    rows = [[cell if at < table.words else _figure(cell) for at, cell in enumerate(row)] for row in table.rows]
    csv.writer(made, lineterminator="\n").writerows([table.columns, *rows])
    return _utf8(made.getvalue())


def _figure(cell: str) -> str:
    """A figure as programs read it: no marks between thousands, a plain minus, nothing for what there is not."""
    if cell == "–":
        return ""
    plain = cell.replace("−", "-")
    return plain.replace(",", "") if re.fullmatch(r"[-+]?\d{1,3}(,\d{3})+(\.\d+)?%?", plain) else plain


def _utf8(text: str) -> bytes:
    # What cannot be written can only come from the name of a file; it becomes a question mark.
    return text.encode("utf-8", "replace")


KINDS: dict[str, Callable[[Document, Path], dict[Path, bytes]]] = {
    ".html": _html,
    ".pdf": _pdf,
    ".md": _markdown,
    ".tex": _latex,
    ".csv": _tables,
}
"""What a name may end in, and the files that it then takes."""
