"""The names of the recipes, which are known before any of them is read."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from oratory.errors import unknown

TABLES = Path(__file__).parent / "tables"
"""Every file in it is a recipe, with the name of the file."""


@cache
def recipe_names() -> tuple[str, ...]:
    """The names of all recipes."""
    return tuple(sorted(path.stem for path in TABLES.glob("*.toml")))


def check_recipes(names: Iterable[str]) -> None:
    """Refuse a name that no recipe has."""
    for name in names:
        if name not in recipe_names():
            raise unknown("recipe", name, recipe_names())
