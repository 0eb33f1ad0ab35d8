"""A report as Markdown with tables, as GitHub reads it; the pictures are files beside it."""

import re

from oratory.report.document import Document, Section
from oratory.tables import Table


def render(document: Document) -> str:
    """The document as text, with pictures under `figures/`."""
    blocks = [f"# {escaped(document.title)}", escaped(document.lead)]
    for section in document.sections:
        blocks += _section(section)
    if document.footer:
        blocks += ["---", escaped(document.footer)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def table(data: Table) -> str:
    """One table: words to the left, figures to the right, its title in front and its note behind."""
    sides = [":--" if at < data.words else "--:" for at in range(len(data.columns))]
    lines = [_row([_inline(cell) for cell in data.columns]), _row(sides)]
    lines += [_row([_inline(cell) for cell in row]) for row in data.rows]
    return "\n\n".join(block for block in (f"**{escaped(data.title)}**", "\n".join(lines), escaped(data.note)) if block)


def escaped(text: str) -> str:
    """Text that means itself: no emphasis, link, element, formula or list, and all on one line."""
    # What would begin a list or underline a heading.
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", _inline(text))


def _inline(text: str) -> str:
    """The same for text that begins no line."""
    text = " ".join(text.split())
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    text = re.sub(r"([\\`*_\[\]>|#~])", r"\\\1", text)
    # A backslash before a dollar would still open a formula on GitHub.
    return text.replace("$", "&#36;")


def _section(section: Section) -> list[str]:
    blocks = [f"## {escaped(section.title)}", escaped(section.lead)]
    blocks.append("\n".join(f"- {escaped(sentence)}" for sentence in section.sentences))
    for figure in section.figures:
        blocks += [f"![{escaped(figure.caption)}](figures/{figure.name}.svg)", escaped(figure.caption)]
    blocks += [table(data) for data in section.tables]
    if section.code:
        longest = max(map(len, re.findall("`+", section.code)), default=0)
        fence = "`" * max(3, longest + 1)
        blocks.append(f"{fence}text\n{section.code}\n{fence}")
    return blocks


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
