"""How each kind of picture is drawn. A drawer is found by being in this folder."""

import importlib
import pkgutil
from functools import singledispatch
from typing import Any

from oratory.pictures import Picture
from oratory.reports.canvas import save, style


@singledispatch
def figure_of(picture: object) -> Any:
    """The picture as a matplotlib figure, drawn within `canvas.style()`; every kind of picture has its drawer."""
    raise TypeError(f"There is no drawer for {type(picture).__name__}.")


def draw(picture: Picture) -> str:
    """The picture as an SVG element for a page."""
    with style():
        return save(figure_of(picture)).decode()


for _found in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_found.name}")
