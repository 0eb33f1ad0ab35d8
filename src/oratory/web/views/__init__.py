"""The views of the page. A view is found by being in this folder."""

from functools import cache

from oratory.discovery import classes_in
from oratory.web.view import View


@cache
def views() -> tuple[View, ...]:
    """Every view, in the order of the menu."""
    found = [cls() for cls in classes_in(__name__, View)]  # type: ignore[type-abstract]
    return tuple(sorted(found, key=lambda view: (view.place, view.name)))
