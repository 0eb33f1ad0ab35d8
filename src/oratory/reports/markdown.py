"""A report as Markdown with tables, as GitHub reads it; its pictures are files beside it."""

import re

from oratory.reports.document import Document
from oratory.reports.template import environment
from oratory.tables import Table, in_markdown


def render(document: Document, figures: str = "figures") -> str:
    """The document as text; its pictures are the files in the folder `figures`."""
    templates = environment(keep_trailing_newline=True)
    templates.filters |= {"escaped": escaped, "table": table, "fenced": _fenced}
    return templates.get_template("page.md").render(document=document, figures=figures)


def table(data: Table) -> str:
    """One table, with its title above and its note below: words to the left, numbers to the right."""
    sides = [":--" if at < data.words else "--:" for at in range(len(data.columns))]
    lines = [_row([in_markdown(cell) for cell in data.columns]), _row(sides)]
    lines += [_row([in_markdown(cell) for cell in row]) for row in data.rows]
    return "\n\n".join(block for block in (f"**{escaped(data.title)}**", "\n".join(lines), escaped(data.note)) if block)


def escaped(text: str) -> str:
    """Text on one line, in which nothing is emphasis, a link, an element, a formula or a list."""
    # These would begin a list, or make the line above a heading.
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", in_markdown(text))


def _fenced(code: str) -> str:
    """Code between fences that are longer than any fence inside it."""
    longest = max(map(len, re.findall("`+", code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{code}\n{fence}"


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
