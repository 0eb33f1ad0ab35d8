"""A picture inside a page, or as a file of its own."""

import re
from html import escape

from oratory.reports.canvas import FORBIDDEN
from oratory.reports.document import Figure

_TAG = re.compile(r"<[^<>]*>")


def inline(figure: Figure) -> str:
    """The picture for a page: in the colours of the page's text, with ids that no other picture has."""
    return _opened(_own_ids(figure.svg, figure.name), _label(figure.caption))


def standalone(figure: Figure) -> str:
    """The picture as a file: dark on white, because the colour around it is not known."""
    attributes = f'{_label(figure.caption)} color="#1c1e22"'
    if "xmlns=" not in figure.svg.partition(">")[0]:
        attributes += ' xmlns="http://www.w3.org/2000/svg"'
    paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_opened(figure.svg, attributes, paper)}\n'


def _label(caption: str) -> str:
    return f'role="img" aria-label="{escape(FORBIDDEN.sub("", caption))}"'


def _opened(svg: str, attributes: str, first: str = "") -> str:
    """The picture with more attributes in its opening tag, and with an element before all others."""
    head, _, rest = svg.partition(">")
    head = re.sub(r'\s(?:role|aria-label)="[^"]*"', "", head)
    return f"{head} {attributes}>{first}{rest}"


def _own_ids(svg: str, name: str) -> str:
    """The picture with a name in front of its ids and of the links to them. Only tags are changed, never text."""
    ids = {found for tag in _TAG.findall(svg) for found in re.findall(r'\sid="([^"]+)"', tag)}

    def mark(found: re.Match[str]) -> str:
        # A slug has no underscore, so two different pairs of name and id never make the same id.
        return f"{found[1]}{name}__{found[2]}" if found[2] in ids else found[0]

    return _TAG.sub(lambda tag: re.sub(r'(\sid="|href="#|url\(#)([^")]+)', mark, tag[0]), svg)
