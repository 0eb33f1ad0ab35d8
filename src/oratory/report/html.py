"""One page that needs nothing but itself: no script, no outside resource, light and dark, ready to print."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from oratory.files import write_text
from oratory.tables import Table


@dataclass(frozen=True)
class Section:
    """One part of a page: sentences, pictures (SVG that we drew), tables."""

    title: str
    lead: str = ""
    sentences: Sequence[str] = ()
    figures: Sequence[tuple[str, str]] = ()
    """Pictures with their captions."""
    tables: Sequence[Table] = ()


def render(title: str, lead: str, sections: Sequence[Section], footer: str) -> str:
    """The page as text. Whatever comes from a corpus is escaped."""
    environment = Environment(
        loader=PackageLoader("oratory.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["table"] = lambda table: Markup(table.html())
    environment.filters["svg"] = Markup
    template = environment.get_template("page.html")
    return template.render(title=title, lead=lead, sections=sections, footer=footer)


def write(path: Path, title: str, lead: str, sections: Sequence[Section], footer: str) -> Path:
    """Render a page into a file."""
    write_text(path, render(title, lead, sections, footer))
    return path
