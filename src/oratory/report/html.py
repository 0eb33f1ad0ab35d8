"""One page that needs nothing but itself: no script, no outside resource, light and dark, ready to print."""

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from oratory.report.document import Document
from oratory.report.svg import inline


def render(document: Document) -> str:
    """The page as text. Whatever comes from a corpus is escaped."""
    environment = templates()
    environment.filters["table"] = lambda table: Markup(table.html())
    environment.filters["svg"] = lambda figure: Markup(inline(figure))
    return environment.get_template("page.html").render(document=document)


def templates() -> Environment:
    """The templates of pages; what they are given is escaped, and must be there."""
    return Environment(
        loader=PackageLoader("oratory.report"),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
