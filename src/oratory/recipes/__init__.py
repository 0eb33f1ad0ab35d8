"""Recipes: named experiments in TOML files, with the figures that were published for them and ours beside them.

Names are loaded when they are first used: which recipes there are is known without torch.
"""

from typing import TYPE_CHECKING

from oratory.discovery import lazily

if TYPE_CHECKING:
    from oratory.recipes.by_hand import HandResult
    from oratory.recipes.document import reproduction_document
    from oratory.recipes.listing import RecipeList, list_recipes
    from oratory.recipes.make import load_reproduction, run_recipe
    from oratory.recipes.names import recipe_names
    from oratory.recipes.planning import plan
    from oratory.recipes.read import load_recipe
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

__getattr__ = lazily(__name__)
