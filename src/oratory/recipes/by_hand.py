"""Recipes without training: attention by hand, with the published queries beside ours."""

import shlex
from dataclasses import dataclass
from typing import Any

import numpy as np

from oratory import __version__
from oratory.errors import InputError
from oratory.inspect import Solution, solve
from oratory.recipes.hand_recipe import HandProblem, HandRecipe, Rows
from oratory.reports import Document, Figure, Section
from oratory.reports.command import command_of
from oratory.reports.document import document_of
from oratory.reports.keys import picture
from oratory.tables import Table, Tabled

SAME = 1e-3
"""Published queries have four digits after the point, and weights three."""


@dataclass(frozen=True)
class HandAnswer:
    """One task, solved by two methods."""

    problem: HandProblem
    exact: Solution
    least_squares: Solution

    @property
    def published(self) -> Rows | None:
        """The weights that the published queries give, or that were published."""
        if self.problem.queries is None:
            return self.problem.weights
        scores = np.array(self.problem.queries) @ np.array(self.least_squares.keys).T
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return tuple(map(tuple, (weights / weights.sum(axis=1, keepdims=True)).tolist()))

    @property
    def agrees(self) -> bool | None:
        """Whether least squares gives what was published; None where nothing was."""
        ours, theirs = (self.least_squares.queries, self.problem.queries)
        if theirs is None:
            ours, theirs = self.least_squares.weights, self.problem.weights
        return None if theirs is None else bool(np.allclose(ours, theirs, rtol=0, atol=SAME))

    @property
    def published_error(self) -> float | None:
        """The largest difference between a weight of the published solution and the wanted one."""
        if self.published is None:
            return None
        wanted = np.array([answer.wanted for answer in self.exact.answers])
        return float(np.abs(np.array(self.published) - wanted).max())

    def to_dict(self) -> dict[str, Any]:
        return {
            "task": self.problem.name,
            "exact": self.exact.to_dict(),
            "least_squares": self.least_squares.to_dict(),
            "published": {"weights": self.published, "error": self.published_error, "agrees": self.agrees},
        }


@dataclass(frozen=True)
class HandResult(Tabled):
    """All tasks of a recipe, solved; `to_dict` is what `--json` prints."""

    recipe: HandRecipe
    answers: tuple[HandAnswer, ...]

    def to_dict(self) -> dict[str, Any]:
        about = {"recipe": self.recipe.name, "title": self.recipe.title, "about": self.recipe.about}
        return {**about, "keys": self.recipe.keys, "tasks": [answer.to_dict() for answer in self.answers]}

    def sentences(self) -> list[str]:
        """What the table shows, in words."""
        known = [answer for answer in self.answers if answer.agrees is not None]
        exact = sum(answer.exact.exact for answer in self.answers)
        others = sum(answer.least_squares.exact for answer in self.answers)
        same = sum(bool(answer.agrees) for answer in known)
        return [
            f"Solved exactly: {exact} of {len(self.answers)} tasks.",
            f"Least squares reaches the wanted weights in {others} of them.",
            f"Least squares gives the published numbers in {same} of {len(known)} tasks that have any.",
        ]

    def tables(self) -> list[Table]:
        rows = tuple(
            (
                answer.problem.name,
                _error(answer.published_error),
                _error(_worst(answer.least_squares)),
                "–" if answer.agrees is None else "yes" if answer.agrees else "NO",
                _error(_worst(answer.exact)),
            )
            for answer in self.answers
        )
        columns = ("task", "published", "least squares", "as published", "exact")
        note = "The largest difference between a weight and the wanted one, by method. As published: whether least "
        note += "squares gives the published numbers."
        return [Table("Attention by hand", columns, rows, note=note)]


def _worst(solution: Solution) -> float:
    return max(answer.error for answer in solution.answers)


def _error(value: float | None) -> str:
    return "–" if value is None else f"{value:.1e}"


def solve_by_hand(recipe: HandRecipe) -> HandResult:
    """Solve every task of a recipe by both methods."""
    answers: dict[str, HandAnswer] = {}
    for problem in recipe.problems:
        if problem.query_of and problem.query_of not in answers:
            raise InputError(f"{recipe.name}: {problem.name!r} needs the query of {problem.query_of!r} before it.")
        before = answers.get(problem.query_of)
        answers[problem.name] = HandAnswer(
            problem,
            solve(recipe.keys, **problem.wanted, query=before.exact.query if before else None),
            solve(
                recipe.keys,
                **problem.wanted,
                query=before.least_squares.query if before else None,
                targets=problem.targets,
                method="lstsq",
            ),
        )
    return HandResult(recipe, tuple(answers.values()))


@document_of.register
def hand_document(made: HandResult) -> Document:
    """The report: the table, and a picture for each task."""
    figures = [
        Figure(answer.problem.name, picture(answer.exact, "").decode(), f"{answer.problem.name}, exactly.".capitalize())
        for answer in made.answers
    ]
    sections = [
        Section("Ours beside the reference", "", made.sentences(), figures, made.tables()),
        Section("The recipe", "", code=command_of(made)),
    ]
    footer = f"Made by Oratory {__version__} from the recipe {made.recipe.name}."
    return Document(made.recipe.title, made.recipe.about, sections, footer)


@command_of.register
def _(made: HandResult) -> str:
    return shlex.join(["oratory", "reproduce", made.recipe.name])
