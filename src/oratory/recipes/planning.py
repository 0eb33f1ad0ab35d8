"""Recipes before they are run: their corpora, their seeds, and how long they will take."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from oratory.comparisons.make import Listener
from oratory.errors import unknown
from oratory.execution.jobs import Executor
from oratory.recipes.base import AnyPlan
from oratory.recipes.estimate import PlannedRun, TimeEstimate, estimate, planned_runs
from oratory.recipes.read import load_any_recipe
from oratory.recipes.recipe import Recipe
from oratory.recipes.reproduction import Reproduction
from oratory.recipes.timing import time_short_training
from oratory.runs import Store
from oratory.text import Corpus, load_corpus


@dataclass(frozen=True)
class PlannedRecipe(AnyPlan):
    """A recipe with the corpus and the seeds that it will be run with."""

    recipe: Recipe
    corpus: Corpus
    seeds: tuple[int, ...]

    @property
    def corpora(self) -> list[Corpus]:
        return [self.corpus]

    def runs(self) -> list[PlannedRun]:
        return planned_runs(self.recipe, self.corpus.fingerprint, self.seeds)

    def run(self, store: Store, executor: Executor, listen: Listener | None = None) -> Reproduction:
        from oratory.recipes.make import run_recipe

        return run_recipe(self, store, executor, listen)


def plan(
    names: Sequence[str],
    seeds: Sequence[int] | None = None,
    data: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> list[AnyPlan]:
    """Load recipes and their corpora. Wrong input is refused here, before anything is trained.

    A setting that only some of the recipes have changes only those.
    """
    recipes, given = [load_any_recipe(name) for name in dict.fromkeys(names)], settings or {}
    known = {name for recipe in recipes for name in recipe.known}
    wrong = next((name for name in given if name not in known), None)
    if wrong is not None:
        raise unknown("setting", wrong, known)
    recipes = [
        recipe.changed({name: value for name, value in given.items() if name in recipe.known}) for recipe in recipes
    ]
    planned = [recipe.plan(seeds, data) for recipe in recipes]  # Texts are read before torch is loaded.
    for recipe in recipes:
        recipe.check(data)
    return planned


@cache
def corpus_of(source: str) -> Corpus:
    """The corpus from a source, loaded once."""
    return load_corpus(source)


def time_of(
    planned: Sequence[AnyPlan],
    store: Store,
    workers: int | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> TimeEstimate:
    """How long it takes to train all runs that the store does not have. What it has nothing like is timed now."""
    corpora = [corpus for entry in planned for corpus in entry.corpora]
    return time_of_runs([run for entry in planned for run in entry.runs()], corpora, store, workers, say)


def time_of_runs(
    runs: Sequence[PlannedRun],
    corpora: Sequence[Corpus],
    store: Store,
    workers: int | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> TimeEstimate:
    """How long it takes to train those of these runs that the store does not have."""
    of = {corpus.fingerprint: corpus for corpus in corpora}

    def time(run: PlannedRun) -> float:
        say(f"Timing a few updates of {run.label} ...")
        return time_short_training(run.task, of[run.fingerprint], run.given)

    return estimate(runs, store, time, workers)
