"""The list of all recipes, with the time that each would take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oratory.execution.local import cores
from oratory.recipes.estimate import TimedRuns, duration, planned_runs, timed_runs
from oratory.recipes.plan import corpus_of
from oratory.recipes.read import load_recipe, recipe_names
from oratory.recipes.recipe import FINGERPRINT, SPEECHES, Recipe
from oratory.runs import Store
from oratory.tables import Table, Tabled

NOT_TIMED = "unknown until timed"
ABOUT = (
    "The time is that of all runs with the recipe's own seeds, from finished runs of the store that are like them. A "
    "recipe that the store has no such runs of is timed when it is run, before its training begins."
)


@dataclass(frozen=True)
class RecipeList(Tabled):
    """Every recipe, with the time that it would take on this machine."""

    recipes: tuple[Recipe, ...]
    seconds: Mapping[str, float | None]
    """By name; None if the store has no runs like those of the recipe."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "recipes": [
                {
                    "name": recipe.name,
                    "title": recipe.title,
                    "about": recipe.about,
                    "task": recipe.task.name,
                    "data": recipe.data,
                    "variants": [variant.name for variant in recipe.variants],
                    "seeds": recipe.seeds,
                    "references": sum(len(reference.values) for reference in recipe.references),
                    "seconds": self.seconds[recipe.name],
                }
                for recipe in self.recipes
            ],
            "estimate": ABOUT,
        }

    def tables(self) -> list[Table]:
        rows = []
        for recipe in self.recipes:
            seconds = self.seconds[recipe.name]
            size = f"{len(recipe.variants)} x {recipe.seeds}"
            time = NOT_TIMED if seconds is None else duration(seconds)
            rows.append((recipe.name, recipe.title, recipe.data, size, time))
        columns = ("recipe", "what", "data", "variants x seeds", "time here")
        return [Table("Recipes", columns, tuple(rows), words=3, note=ABOUT)]


def list_recipes(store: Store) -> RecipeList:
    """All recipes. Nothing is timed for the list."""
    recipes = tuple(load_recipe(name) for name in recipe_names())
    known = timed_runs(store)
    return RecipeList(recipes, {recipe.name: _seconds(recipe, known) for recipe in recipes})


def _seconds(recipe: Recipe, known: TimedRuns) -> float | None:
    if not known.seconds:
        return None
    fingerprint = FINGERPRINT if recipe.data == SPEECHES else corpus_of(recipe.data).fingerprint
    found = [known.estimate(run) for run in planned_runs(recipe, fingerprint, range(recipe.seeds))]
    return None if None in found else sum(seconds for seconds, _ in filter(None, found)) / cores()
