"""Attention by hand: queries and keys that make attention select a value, average some, or weigh them as one likes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError, unknown
from oratory.inspect.solve_facts import Answer, Certificate, Reached, Solution, Vector
from oratory.inspect.solve_key import Replacement
from oratory.inspect.solve_query import Found, Problem, exactly, least_squares
from oratory.inspect.solve_wish import Wish, matrix, read_wish, vector

Array = NDArray[np.float64]

METHODS = ("exact", "lstsq")
TIMES = tuple(2.0 ** (half / 2) for half in range(-14, 5))
"""How many times as long the query is along a curve."""
REACHED = 1e-6
"""How near the wanted weights count as reached."""
EQUAL = 1e-9
"""How near two weights count as equal."""


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
    """Find a query that gives the keys wanted weights, or for a fixed query a new key that does.

    One of four wishes: `select` a key, `average` several, give every one its `weights`, or the `identity`, a row of
    the query matrix for each key. With `query` and `replace_key` the query stays, and that key is chosen anew.
    `length` is the length of the new key, or how long a query may be. `method` is `exact` (largest margin, or a
    certificate that it is impossible) or `lstsq` (least squares towards `targets`, or towards scores of 100 and 0).
    `scale` multiplies scores with one over the root of the dimension. With `values` the outputs are given too.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    wish = read_wish(matrix("keys", keys), select, average, weights, identity, query, replace_key, length)
    table = None if values is None else matrix("values", values)
    if table is not None and len(table) != len(wish.keys):
        raise InputError(f"There are {len(wish.keys)} keys and {len(table)} values; each key needs one row of values.")
    aim = _read_targets(targets, method, wish)
    factor = len(wish.keys[0]) ** -0.5 if scale else 1.0
    if wish.query is not None and wish.replaced is not None:
        answers, keys_after = _new_key(wish, factor, method, aim, table)
    else:
        problems = [Problem(wish.keys, wanted, factor, wish.length) for wanted in wish.wanted]
        answers = [_query(problem, method, wish, row, aim, table) for row, problem in enumerate(problems)]
        keys_after = wish.keys
    return Solution(
        task=wish.task,
        method=method,
        scale=factor,
        length=wish.length,
        keys=tuple(map(_plain, keys_after)),
        replaced=wish.replaced,
        old_key=None if wish.replaced is None else _plain(wish.keys[wish.replaced]),
        fixed_query=None if wish.query is None else _plain(wish.query),
        identity=identity,
        answers=tuple(answers),
    )


def usual_targets(wanted: Array) -> Array:
    """The scores that least squares aims at.

    For one key 100 and 0 for the rest; for all alike 0; for several 3, and -2, -3, -4, ... for the rest; for any other
    weights their logarithms, and 10 less than the smallest for those that should be zero.
    """
    inside = wanted > 0
    if np.ptp(wanted) == 0 and len(wanted) > 1:
        return np.zeros(len(wanted))
    if inside.sum() == 1:
        return np.where(inside, 100.0, 0.0)
    if np.ptp(wanted[inside]) == 0:
        scores = np.full(len(wanted), 3.0)
        scores[~inside] = -2.0 - np.arange((~inside).sum())
        return scores
    logs = np.log(np.where(inside, wanted, 1.0))
    return np.asarray(np.where(inside, logs, logs[inside].min() - 10))


def _read_targets(given: Any, method: str, wish: Wish) -> Array | None:
    """Targets as rows for queries, or one score for a new key."""
    if given is None:
        return None
    if method != "lstsq":
        raise InputError("Targets are what least squares aims at; give them with the method lstsq.")
    if wish.replaced is not None:
        return vector("targets", given, 1, "the score of the new key")
    if len(wish.wanted) == 1:
        return vector("targets", given, len(wish.keys), "a score for each key")[None]
    raise InputError("Targets are for one query; the identity aims at 100 for its own key and 0 for the others.")


def _query(problem: Problem, method: str, wish: Wish, row: int, aim: Array | None, table: Array | None) -> Answer:
    if method == "exact":
        found = exactly(problem)
    else:
        found = least_squares(problem, usual_targets(problem.wanted) if aim is None else aim[row])
        if problem.length is not None and np.linalg.norm(found.query) > problem.length:
            found = replace(found, query=found.query * problem.length / np.linalg.norm(found.query))
    return _answer(problem, found, found.query, table)


def _new_key(
    wish: Wish, factor: float, method: str, aim: Array | None, table: Array | None
) -> tuple[list[Answer], Array]:
    assert wish.query is not None
    assert wish.replaced is not None
    place = Replacement(Problem(wish.keys, wish.wanted[0], factor, wish.length), wish.query, wish.replaced)
    key, why = place.exactly() if method == "exact" else place.least_squares(None if aim is None else float(aim[0]))
    keys = wish.keys.copy()
    keys[wish.replaced] = key
    found = Found(wish.query, np.zeros_like(wish.query), why)
    return [_answer(Problem(keys, wish.wanted[0], factor), found, key, table)], keys


def _answer(problem: Problem, found: Found, shown: Array, table: Array | None) -> Answer:
    """What a query does to the keys, measured on the vectors as they will be printed."""
    scores = problem.factor * problem.keys @ found.query
    weights = _softmax(scores)
    exact = _holds(weights, problem.wanted)
    certificate: Certificate | None = None if exact else found.certificate
    return Answer(
        wanted=_plain(problem.wanted),
        vector=_plain(shown),
        scores=_plain(scores),
        weights=_plain(weights),
        exact=exact,
        error=_error(weights, problem.wanted),
        margin=_margin(problem, found),
        times_needed=None if exact or certificate else _times_needed(scores, problem),
        certificate=certificate,
        curve=tuple(_reached(problem, found, times) for times in TIMES),
        output=None if table is None else _plain(weights @ table),
    )


def _margin(problem: Problem, found: Found) -> float | None:
    inside = problem.inside
    if inside.all():
        return None
    moving = found.query - found.steady
    scores = problem.factor * problem.keys @ moving
    size = float(np.linalg.norm(moving))
    return float(scores[inside].min() - scores[~inside].max()) / size if size else 0.0


def _reached(problem: Problem, found: Found, times: float) -> Reached:
    query = found.steady + times * (found.query - found.steady)
    weights = _softmax(problem.factor * problem.keys @ query)
    return Reached(times, float(weights[problem.inside].sum()), _error(weights, problem.wanted))


def _times_needed(scores: Array, problem: Problem) -> float | None:
    """The multiple of scores that are in the right order at which the weights are reached."""
    inside = problem.inside
    ahead = float(scores[inside].min() - scores[~inside].max()) if not inside.all() else 0.0
    # Beyond this, rounding of the scores would show in the weights.
    if not problem.uniform or ahead <= 1e-6 * np.abs(scores).max():
        return None
    low, high = 1.0, 1.0
    while not _holds(_softmax(high * scores), problem.wanted):
        low, high = high, 2 * high
        if high * ahead > 100:
            return None
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _holds(_softmax(middle * scores), problem.wanted) else (middle, high)
    return high


def _holds(weights: Array, wanted: Array) -> bool:
    alike = all(np.ptp(weights[wanted == value]) <= EQUAL for value in np.unique(wanted[wanted > 0]))
    return _error(weights, wanted) <= REACHED and alike


def _error(weights: Array, wanted: Array) -> float:
    return float(np.abs(weights - wanted).max())


def _softmax(scores: Array) -> Array:
    shares = np.exp(scores - scores.max())
    return np.asarray(shares / shares.sum())


def _plain(values: Array) -> Vector:
    return tuple(float(value) for value in values)
