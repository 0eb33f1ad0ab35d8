"""`solve`: attention by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from oratory.inspect.solve.answer import Answer, measured, plain
from oratory.inspect.solve.certificate import Certificate
from oratory.inspect.solve.key import Replacement
from oratory.inspect.solve.problem import Array, Problem
from oratory.inspect.solve.query import FoundQuery, exact_query, least_squares_query
from oratory.inspect.solve.request import Request, read_request
from oratory.inspect.solve.solution import Solution


def solve(
    keys: Any,
    *,
    select: int | None = None,
    average: Sequence[int] | None = None,
    weights: Sequence[float] | Array | None = None,
    identity: bool = False,
    query: Any = None,
    replace_key: int | None = None,
    length: float | None = None,
    method: str = "exact",
    scale: bool = False,
    values: Any = None,
    targets: Any = None,
) -> Solution:
    """Find a query that gives the keys the wanted weights, or a new key that does so for a given query.

    Ask for one of four things: `select` one key, `average` several, give the keys any `weights`, or make the
    `identity`: a query for each key that selects it. With `query` and `replace_key`, the query stays and that key is
    replaced. `length` is the length of the new key, or the limit for a query. `method` is `exact` (the largest margin,
    or a certificate that the weights are impossible) or `lstsq` (least squares towards the scores `targets`; without
    them, towards 100 for a selected key and 0 for the others). `scale` divides scores by the root of the dimension.
    With `values`, the solution has the outputs too.
    """
    request = read_request(
        keys, select, average, weights, identity, query, replace_key, length, method, values, targets
    )
    factor = request.keys.shape[1] ** -0.5 if scale else 1.0
    problems = [Problem(request.keys, wanted, factor, request.length) for wanted in request.wanted]
    if request.query is None or request.replaced is None:
        answers, keys_after = [_query(problem, request) for problem in problems], request.keys
    else:
        key, why = _new_key(Replacement(problems[0], request.query, request.replaced), request)
        keys_after = request.keys.copy()
        keys_after[request.replaced] = key
        found = FoundQuery(request.query, np.zeros_like(request.query), why)
        answers = [measured(Problem(keys_after, request.wanted[0], factor), found, key, request.values)]
    return Solution(
        task=request.task,
        method=method,
        scale=factor,
        length=request.length,
        keys=tuple(map(plain, keys_after)),
        replaced=request.replaced,
        old_key=None if request.replaced is None else plain(request.keys[request.replaced]),
        fixed_query=None if request.query is None else plain(request.query),
        identity=identity,
        answers=tuple(answers),
    )


def _query(problem: Problem, request: Request) -> Answer:
    exact = request.method == "exact"
    found = exact_query(problem) if exact else least_squares_query(problem, request.targets)
    return measured(problem, found, found.query, request.values)


def _new_key(replacement: Replacement, request: Request) -> tuple[Array, Certificate | None]:
    if request.method == "exact":
        return replacement.exact()
    return replacement.least_squares(None if request.targets is None else float(request.targets[0]))
