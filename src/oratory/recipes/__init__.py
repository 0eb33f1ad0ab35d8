"""Recipes: named experiments in TOML files, with the figures that were published for them and ours beside them."""

from oratory.recipes.by_hand import HandResult
from oratory.recipes.document import reproduction_document
from oratory.recipes.listing import RecipeList, list_recipes
from oratory.recipes.make import load_reproduction, run_recipe
from oratory.recipes.plan import plan
from oratory.recipes.read import load_recipe, recipe_names
from oratory.recipes.recipe import Recipe, Reference
from oratory.recipes.reference_row import ReferenceRow
from oratory.recipes.reproduction import Reproduction

__all__ = [
    "HandResult",
    "Recipe",
    "RecipeList",
    "Reference",
    "ReferenceRow",
    "Reproduction",
    "list_recipes",
    "load_recipe",
    "load_reproduction",
    "plan",
    "recipe_names",
    "reproduction_document",
    "run_recipe",
]
