"""Pictures of reports on a page whose rules forbid styles inside of elements: styles become attributes."""

import re
from html import escape, unescape

from oratory.reports.document import Figure
from oratory.reports.svg import inline

_TAG = re.compile(r"<[^<>]*>")
_STYLE = re.compile(r'\sstyle="([^"]*)"')
_WIDTH = re.compile(r'\swidth="([\d.]+)pt"')
_HEIGHT = re.compile(r'\sheight="[\d.]+pt"')
_FONT = re.compile(r"(?:(?P<weight>bold|\d00) )?(?P<size>[\d.]+px) (?P<family>.+)", re.DOTALL)


POINTS = 11.5
"""Points of a picture that are as wide as the type of the page is high; pictures grow with the type."""


def on_page(figure: Figure) -> str:
    """The picture as an SVG element in the colours of the page, without a style attribute."""
    drawn = _TAG.sub(lambda tag: _STYLE.sub(_attributes, tag[0]), inline(figure))
    head, end, rest = drawn.partition(">")
    head = _HEIGHT.sub("", _WIDTH.sub(lambda found: f' width="{float(found[1]) / POINTS:.2f}rem"', head, count=1))
    return head + end + rest


def _attributes(style: re.Match[str]) -> str:
    """The declarations of a style attribute as attributes of their own, which SVG has for all that we draw with."""
    found = []
    for declaration in unescape(style[1]).split(";"):
        name, colon, value = (part.strip() for part in declaration.partition(":"))
        font = _FONT.fullmatch(value) if name == "font" else None
        if font:
            found += [(f"font-{part}", text) for part, text in font.groupdict().items() if text]
        elif colon:
            found.append((name, value))
    return "".join(f' {name}="{escape(value)}"' for name, value in found)


def as_image(figure: Figure, dark: bool) -> str:
    """The picture as an image of its own: in ink for light or for dark paper, because it cannot see the page's."""
    ink = "#e8e6e1" if dark else "#1c1e22"
    drawn = _TAG.sub(lambda tag: _STYLE.sub(_attributes, tag[0]), inline(figure))
    return drawn.replace("<svg ", f'<svg color="{ink}" ', 1)
