"""Recipes that train nothing: tasks of attention by hand, with the published solutions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError, unknown
from oratory.recipes.base import AnyPlan, AnyRecipe

if TYPE_CHECKING:
    from oratory.comparisons.make import Listener
    from oratory.execution.jobs import Executor
    from oratory.recipes.by_hand import HandResult
    from oratory.runs import Store

Rows = tuple[tuple[float, ...], ...]

KEYS = {"title", "about", "keys", "problem"}
_PUBLISHED = {"queries", "weights"}
_WANTED = {"select", "average", "identity", "replace_key", "length"}
_PROBLEM_KEYS = {"name", "query_of", "targets"} | _PUBLISHED | _WANTED


@dataclass(frozen=True)
class HandProblem:
    """One task: what is wanted, and what was published for it."""

    name: str
    wanted: Mapping[str, Any]
    """Arguments of `solve`."""
    query_of: str = ""
    """The task whose query stays, where a key is replaced."""
    targets: tuple[float, ...] | None = None
    """The scores that least squares aims at."""
    queries: Rows | None = None
    """The published queries, one for each row of weights."""
    weights: Rows | None = None
    """The published weights."""


@dataclass(frozen=True)
class HandRecipe(AnyRecipe):
    """Tasks for four keys, solved exactly and by least squares."""

    name: str
    title: str
    about: str
    keys: Rows
    problems: tuple[HandProblem, ...]

    def facts(self) -> dict[str, Any]:
        published = sum(problem.queries is not None or problem.weights is not None for problem in self.problems)
        nothing: dict[str, Any] = {"task": None, "data": None, "variants": [], "seeds": 0}
        return {**super().facts(), **nothing, "references": published}

    def plan(self, seeds: Sequence[int] | None, data: str | None) -> "PlannedByHand":
        return PlannedByHand(self)

    def load(self, store: "Store") -> "HandResult":
        from oratory.recipes.by_hand import solve_by_hand

        return solve_by_hand(self)


@dataclass(frozen=True)
class PlannedByHand(AnyPlan):
    """A recipe that needs no corpus, because it trains nothing."""

    recipe: HandRecipe

    def run(self, store: "Store", executor: "Executor", listen: "Listener | None" = None) -> "HandResult":
        return self.recipe.load(store)


def read_hand_recipe(content: Mapping[str, Any], path: Path) -> HandRecipe:
    """The recipe in the content of a file, or an InputError that says what is wrong with it."""
    missing = KEYS - set(content)
    if missing:
        raise InputError(f"{path} lacks {', '.join(sorted(missing))}.")
    problems = tuple(_problem(entry, path) for entry in content["problem"])
    return HandRecipe(path.stem, content["title"], " ".join(content["about"].split()), _rows(content["keys"]), problems)


def _problem(entry: Mapping[str, Any], path: Path) -> HandProblem:
    wrong = next((key for key in entry if key not in _PROBLEM_KEYS), None)
    if wrong is not None:
        raise InputError(f"{path}, a problem: {unknown('key', wrong, _PROBLEM_KEYS)}")
    if "name" not in entry:
        raise InputError(f"{path}: a problem lacks its name.")
    return HandProblem(
        name=entry["name"],
        wanted={key: value for key, value in entry.items() if key in _WANTED},
        query_of=entry.get("query_of", ""),
        targets=tuple(entry["targets"]) if "targets" in entry else None,
        queries=_rows(entry["queries"]) if "queries" in entry else None,
        weights=_rows([entry["weights"]]) if "weights" in entry else None,
    )


def _rows(given: Any) -> Rows:
    return tuple(tuple(map(float, row)) for row in given)
