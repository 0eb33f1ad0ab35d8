"""Named experiments as TOML files: what a report published, how it is done here, and what comes out."""

from oratory.recipes.facts import Reproduction, Row
from oratory.recipes.make import load_reproduction, make
from oratory.recipes.recipe import Recipe, Reference, load_recipe, recipe_names

__all__ = [
    "Recipe",
    "Reference",
    "Reproduction",
    "Row",
    "load_recipe",
    "load_reproduction",
    "make",
    "recipe_names",
]
