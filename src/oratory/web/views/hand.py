"""Attention by hand: keys and values that can be moved, the solver as buttons, and the tasks of R3 as exercises."""

import json
import shlex
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, ConfigDict, Field

from oratory.errors import InputError
from oratory.inspect import solve
from oratory.recipes.exercise import Exercise, check_exercise, exercises_of
from oratory.recipes.hand_recipe import HandRecipe
from oratory.recipes.read import load_any_recipe
from oratory.web.laboratory import Laboratory
from oratory.web.view import View

KEYS = 24
DIMENSIONS = 64
RECIPE = "r3-by-hand"
FIRST = [[0.9, 0.3], [0.2, 0.9], [-0.8, 0.5], [-0.2, -0.8]]
"""The keys that the page begins with."""

Row = Annotated[list[float], Field(min_length=1, max_length=DIMENSIONS)]
Matrix = Annotated[list[Row], Field(min_length=1, max_length=KEYS)]
Places = Annotated[list[int], Field(max_length=KEYS)]


class Asked(BaseModel):
    """What `solve` is asked for; ask for one of select, average, weights and identity."""

    model_config = ConfigDict(extra="forbid")

    keys: Matrix
    select: int | None = None
    average: Places | None = None
    weights: Annotated[list[float], Field(max_length=KEYS)] | None = None
    identity: bool = False
    query: Row | None = None
    replace_key: int | None = None
    length: float | None = None
    method: str = "exact"
    scale: bool = False
    values: Matrix | None = None


class Answered(BaseModel):
    """An answer to an exercise: its queries, or its new key."""

    model_config = ConfigDict(extra="forbid")

    queries: Matrix | None = None
    key: Row | None = None


class Hand(View):
    title = "By hand"
    about = "Move keys, values and the query, and see what attention does; or let the solver find the query."
    place = 60

    def router(self, lab: Laboratory) -> APIRouter:
        router = APIRouter()

        @router.get("/hand", include_in_schema=False)
        def page(request: Request) -> HTMLResponse:
            same = shlex.join(["oratory", "solve", "--keys", json.dumps(FIRST), "--select", "0"])
            return lab.page(request, "hand.html", view=self, same_as=same, exercises=_exercises())

        @router.post("/api/hand/solve")
        def solved(asked: Asked) -> dict[str, Any]:
            """A query, or a new key, that gives the wanted weights; or the certificate that there is none."""
            found = lab.work.do(lambda: solve(**asked.model_dump()))
            return {**found.to_dict(), "possible": found.possible, "exact": found.exact, "says": found.sentences()}

        @router.get("/api/hand/exercises")
        def exercises() -> list[dict[str, Any]]:
            """The tasks of R3: keys, wanted weights, and what may be moved."""
            return [exercise.to_dict() for exercise in _exercises()]

        @router.post("/api/hand/exercises/{number}")
        def checked(number: int, answer: Answered) -> dict[str, Any]:
            """Whether an answer solves an exercise, counted from 0."""
            known = _exercises()
            if not 0 <= number < len(known):
                raise InputError(f"There is no exercise {number}; there are {len(known)}, from 0 to {len(known) - 1}.")
            return lab.work.do(lambda: check_exercise(known[number], answer.queries, answer.key)).to_dict()

        return router


@cache
def _exercises() -> tuple[Exercise, ...]:
    recipe = load_any_recipe(RECIPE)
    assert isinstance(recipe, HandRecipe)
    return exercises_of(recipe)
