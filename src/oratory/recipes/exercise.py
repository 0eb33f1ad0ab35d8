"""The tasks of attention by hand as exercises: a learner gives queries, or a new key, and hears whether they do it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from oratory.errors import InputError
from oratory.inspect.solve.answer import Vector, plain
from oratory.inspect.solve.problem import Array, Problem
from oratory.recipes.by_hand import solve_by_hand
from oratory.recipes.hand_recipe import HandRecipe, Rows

NEAR = 0.01
"""Weights this close to the wanted ones solve an exercise: nobody moves a point by hand to the sixth digit."""


@dataclass(frozen=True)
class Exercise:
    """One task: the keys, the weights that are wanted, and what may be moved."""

    name: str
    keys: Rows
    wanted: Rows
    """A row of weights for each query."""
    query: Vector | None
    """The query that stays, where a key is to be replaced."""
    replaced: int | None
    """The key to replace; None where queries are asked for."""
    length: float | None
    """The length that the new key must have; None for any."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class CheckedExercise:
    """What an answer to an exercise does."""

    weights: Rows
    error: float
    """The largest difference between a weight and the wanted one."""
    solved: bool
    """Whether that is no more than 0.01, and a new key has its length."""
    exact: bool
    """Whether all weights are within 1e-6, as `solve` wants them."""
    says: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def exercises_of(recipe: HandRecipe) -> tuple[Exercise, ...]:
    """The tasks of a recipe, with the query that stays where one does."""
    return tuple(
        Exercise(
            name=answer.problem.name,
            keys=recipe.keys,
            wanted=tuple(each.wanted for each in answer.exact.answers),
            query=answer.exact.fixed_query,
            replaced=answer.exact.replaced,
            length=answer.exact.length,
        )
        for answer in solve_by_hand(recipe).answers
    )


def check_exercise(
    exercise: Exercise, queries: Sequence[Sequence[float]] | None = None, key: Sequence[float] | None = None
) -> CheckedExercise:
    """Whether these queries, or this new key, give the wanted weights."""
    keys, asked = _completed(exercise, queries, key)
    problems = [Problem(keys, np.array(wanted), 1.0) for wanted in exercise.wanted]
    rows = list(zip(problems, asked, strict=True))
    with np.errstate(over="ignore", invalid="ignore"):
        weights = tuple(plain(problem.weights(query)) for problem, query in rows)
        error = max(problem.error(query) for problem, query in rows)
        exact = all(problem.reached_by(query) for problem, query in rows)
    if not np.isfinite(error):
        raise InputError("These numbers are too large: their scores leave the range of floating point.")
    size = (
        None if exercise.length is None or exercise.replaced is None else float(np.linalg.norm(keys[exercise.replaced]))
    )
    fits = size is None or bool(abs(size - (exercise.length or 0.0)) <= NEAR)
    solved = bool(error <= NEAR and fits)
    return CheckedExercise(weights, float(error), solved, exact and fits, _said(exercise, error, exact, size, fits))


def _completed(
    exercise: Exercise, queries: Sequence[Sequence[float]] | None, key: Sequence[float] | None
) -> tuple[Array, Array]:
    """All keys and all queries, with those that were answered in their places."""
    keys, width = np.array(exercise.keys), len(exercise.keys[0])
    if exercise.replaced is not None:
        if key is None or len(key) != width or not np.isfinite(key).all():
            raise InputError(f"This exercise asks for a new key {exercise.replaced}: {width} numbers.")
        keys[exercise.replaced] = key
        return keys, np.array([exercise.query])
    given = [] if queries is None else [list(query) for query in queries]
    if len(given) != len(exercise.wanted) or any(
        len(query) != width or not np.isfinite(query).all() for query in given
    ):
        count = f"{len(exercise.wanted)} queries" if len(exercise.wanted) > 1 else "one query"
        raise InputError(f"This exercise asks for {count} of {width} numbers.")
    return keys, np.array(given)


def _said(exercise: Exercise, error: float, exact: bool, size: float | None, fits: bool) -> str:
    if not fits:
        return f"The new key must be {exercise.length:g} long; this one is {size:.4g}."
    if exact:
        return "Solved, exactly: every weight is the wanted one."
    if error <= NEAR:
        return f"Solved: no weight is further than {error:.2g} from the wanted one."
    return f"Not yet: a weight is {error:.2g} away from the wanted one; {NEAR:g} is near enough."
