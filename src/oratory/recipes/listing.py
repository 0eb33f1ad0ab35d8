"""The list of all recipes, with the time that each would take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from oratory.execution.local import cores
from oratory.recipes.base import AnyRecipe
from oratory.recipes.estimate import TimedRuns, timed_runs
from oratory.recipes.names import recipe_names
from oratory.recipes.read import load_any_recipe
from oratory.runs import Store
from oratory.tables import Table, Tabled, duration

NOT_TIMED = "unknown until timed"
ABOUT = (
    "The time is that of all runs with the recipe's own seeds, from finished runs of the store that are like them. A "
    "recipe that the store has no such runs of is timed when it is run, before its training begins."
)


@dataclass(frozen=True)
class RecipeList(Tabled):
    """Every recipe, with the time that it would take on this machine."""

    recipes: tuple[AnyRecipe, ...]
    seconds: Mapping[str, float | None]
    """By name; None if the store has no runs like those of the recipe."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "recipes": [{**recipe.facts(), "seconds": self.seconds[recipe.name]} for recipe in self.recipes],
            "estimate": ABOUT,
        }

    def tables(self) -> list[Table]:
        rows = []
        for recipe in self.recipes:
            seconds = self.seconds[recipe.name]
            time = NOT_TIMED if seconds is None else duration(seconds) if recipe.trains else "none"
            rows.append((recipe.name, recipe.title, *recipe.size, time))
        columns = ("recipe", "what", "data", "variants x seeds", "time here")
        return [Table("Recipes", columns, tuple(rows), words=3, note=ABOUT)]


def list_recipes(store: Store) -> RecipeList:
    """All recipes. Nothing is timed for the list."""
    recipes = tuple(load_any_recipe(name) for name in recipe_names())
    known = timed_runs(store)
    return RecipeList(recipes, {recipe.name: _seconds(recipe, known) for recipe in recipes})


def _seconds(recipe: AnyRecipe, known: TimedRuns) -> float | None:
    if recipe.trains and not known.seconds:
        return None
    found = [known.estimate(run) for run in recipe.usual_runs()]
    return None if None in found else sum(seconds for seconds, _ in filter(None, found)) / cores()
