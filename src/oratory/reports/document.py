"""What a report says, as plain values. The renderers beside this file decide how it looks."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import TypeVar

from oratory.pictures import Topic
from oratory.reports.drawers import draw
from oratory.tables import Table

LONGEST_NAME = 60
"""The most characters that the name of a file has."""


def slug(text: str, otherwise: str = "untitled") -> str:
    """A name of lower-case Latin letters, digits and hyphens, which is safe in any file system and page."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST_NAME].rstrip("-") or otherwise


@dataclass(frozen=True)
class Figure:
    """A drawn picture as an SVG element. Its name becomes the name of its file."""

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
    """Commands to type or settings to copy; shown unchanged."""


def section_of(topic: Topic) -> Section:
    """The section that a topic makes once its pictures are drawn."""
    figures = [Figure(each.name, draw(each.picture), each.caption) for each in topic.figures]
    return Section(topic.title, topic.lead, topic.sentences, figures, topic.tables, topic.code)


@dataclass(frozen=True)
class Document:
    """A whole report. The names of its figures are made safe for files and different from each other."""

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
        """Every table, under a name made from its title that is safe for files."""
        return _named(((table.title, table) for section in self.sections for table in section.tables), "table")


@singledispatch
def document_of(result: object) -> Document:
    """The report on a result: a run, a comparison, a search or a recipe that was run."""
    raise TypeError(f"There is no report on a {type(result).__name__}.")


_T = TypeVar("_T")


def _named(things: Iterable[tuple[str, _T]], otherwise: str) -> dict[str, _T]:
    """Things under the slugs of their names; equal slugs are told apart by a number."""
    named: dict[str, _T] = {}
    for text, thing in things:
        name = first = slug(text, otherwise)
        count = 1
        while name in named:
            count += 1
            name = f"{first}-{count}"
        named[name] = thing
    return named
