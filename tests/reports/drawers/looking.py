"""What is in a picture: its words, or its axes in the units of the facts."""

from typing import Any
from xml.etree import ElementTree

from oratory.pictures import Picture
from oratory.reports.canvas import style
from oratory.reports.drawers import figure_of

SVG = "{http://www.w3.org/2000/svg}"
EVIL = "<b>&$x$ --> ]]> _y_"


def words(svg: str) -> list[str]:
    """The texts in a picture, which must be one element of sound XML."""
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def axes_of(picture: Picture) -> Any:
    """The axes that a picture is drawn on."""
    with style():
        return figure_of(picture).axes[0]


def points(axes: Any) -> list[tuple[list[float], list[float]]]:
    """The lines and marks on the axes: their x values and their y values."""
    return [(list(map(float, line.get_xdata())), list(map(float, line.get_ydata()))) for line in axes.lines]
