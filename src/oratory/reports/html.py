"""A report as one page in one file: no script, no outside resource, light and dark, ready to print."""

from markupsafe import Markup

from oratory.reports.document import Document
from oratory.reports.svg import inline
from oratory.reports.template import environment

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What the page may load: its own styles, and the cells of maps, which a picture holds as an image inside itself."""


def render(document: Document) -> str:
    """The page as text. Everything that comes from a corpus is escaped."""
    templates = environment()
    # `Table.html` and `inline` escape what they are given; all else is escaped by the template.
    templates.filters["table"] = lambda table: Markup(table.html())  # nosec B704
    templates.filters["svg"] = lambda figure: Markup(inline(figure))  # nosec B704
    return templates.get_template("page.html").render(document=document, policy=POLICY)
