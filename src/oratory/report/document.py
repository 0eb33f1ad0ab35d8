"""What a report says, as plain values: the renderers beside this file decide how it looks."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from oratory.tables import Table

LONGEST_NAME = 60
"""Characters in the name of a file."""


def slug(text: str, otherwise: str = "untitled") -> str:
    """A name that is safe in any file system, page and document: small Latin letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_NAME].rstrip("-") or otherwise


@dataclass(frozen=True)
class Figure:
    """A picture that we drew, as an SVG element; the name becomes its file's name."""

    name: str
    svg: str
    caption: str


@dataclass(frozen=True)
class Section:
    """One part of a report."""

    title: str
    lead: str = ""
    sentences: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    code: str = ""
    """Lines to type, or settings to copy; shown as they are."""


@dataclass(frozen=True)
class Document:
    """A whole report. Names of figures become file-safe and different from each other, whatever they were."""

    title: str
    lead: str
    sections: Sequence[Section]
    footer: str = ""

    def __post_init__(self) -> None:
        drawn = [figure for section in self.sections for figure in section.figures]
        names = iter(_named(((figure.name, figure) for figure in drawn), "figure"))
        sections = tuple(
            replace(section, figures=tuple(replace(figure, name=next(names)) for figure in section.figures))
            for section in self.sections
        )
        object.__setattr__(self, "sections", sections)

    @property
    def figures(self) -> list[Figure]:
        return [figure for section in self.sections for figure in section.figures]

    @property
    def tables(self) -> dict[str, Table]:
        """Every table under a file-safe name made from its title."""
        return _named(((table.title, table) for section in self.sections for table in section.tables), "table")


_T = TypeVar("_T")


def _named(things: Iterable[tuple[str, _T]], otherwise: str) -> dict[str, _T]:
    """Things under slugs of their names; a number tells two apart that would be one."""
    named: dict[str, _T] = {}
    for text, thing in things:
        name = first = slug(text, otherwise)
        count = 1
        while name in named:
            count += 1
            name = f"{first}-{count}"
        named[name] = thing
    return named
