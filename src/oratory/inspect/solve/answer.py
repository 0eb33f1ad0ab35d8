"""What one query, or one new key, does to the keys: scores, weights, margin, and weights of longer queries."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from oratory.inspect.solve.certificate import Certificate
from oratory.inspect.solve.problem import Array, Problem
from oratory.inspect.solve.query import FoundQuery

Vector = tuple[float, ...]

TIMES = tuple(2.0 ** (half / 2) for half in range(-14, 5))
"""The multiples of the query along a curve."""


@dataclass(frozen=True)
class CurvePoint:
    """The weights of a multiple of the query."""

    times: float
    wanted: float
    """The weight of all wanted keys together."""
    error: float
    """The largest difference between a weight and the wanted one."""


@dataclass(frozen=True)
class Answer:
    """One query, or one new key, and what it does."""

    wanted: Vector
    vector: Vector
    """The query, or the new key where one is replaced."""
    scores: Vector
    weights: Vector
    exact: bool
    """Whether all weights are within 1e-6 of the wanted ones, and those that should be equal are equal to 1e-9."""
    error: float
    """The largest difference between a weight and the wanted one, with and without rounding in the scores."""
    divergence: float | None
    """The Kullback-Leibler divergence of the weights from the wanted ones, in nats; None where it is infinite."""
    margin: float | None
    """How far the wanted keys score above the others, for a query of length 1; None where all are wanted."""
    times_needed: float | None
    """Where the weights are not the wanted ones: the multiple of the query that gives them, if one does."""
    certificate: Certificate | None
    curve: tuple[CurvePoint, ...]
    output: Vector | None
    """The weighted mean of the values, where values were given."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a certificate only where there is one."""
        facts = asdict(self)
        return {name: value for name, value in facts.items() if name != "certificate" or value is not None}


def measured(problem: Problem, found: FoundQuery, vector: Array, values: Array | None) -> Answer:
    """What a query does, measured on the numbers that are printed; `vector` is the query or the new key."""
    weights = problem.weights(found.query)
    exact = problem.reached_by(found.query)
    certificate = None if exact else found.certificate
    divergence = problem.divergence(found.query)
    return Answer(
        wanted=plain(problem.wanted),
        vector=plain(vector),
        scores=plain(problem.scores(found.query)),
        weights=plain(weights),
        exact=exact,
        error=problem.error(found.query),
        divergence=divergence if np.isfinite(divergence) else None,
        margin=_margin(problem, found),
        times_needed=None if exact or certificate else _times_needed(problem, found.query),
        certificate=certificate,
        curve=tuple(_curve_point(problem, found, times) for times in TIMES),
        output=None if values is None else plain(weights @ values),
    )


def plain(values: Array) -> Vector:
    """Numbers that JSON can write."""
    return tuple(float(value) for value in values)


def _lead(problem: Problem, query: Array) -> float:
    """How far the lowest wanted key scores above the highest of the others."""
    inside = problem.inside
    # Differences of keys are more exact than differences of scores.
    scores = problem.factor * (problem.keys - problem.keys[inside][0]) @ query
    return float(scores[inside].min() - scores[~inside].max())


def _margin(problem: Problem, found: FoundQuery) -> float | None:
    if problem.inside.all():
        return None
    moving = found.query - found.base
    size = float(np.linalg.norm(moving))
    return _lead(problem, moving) / size if size else 0.0


def _curve_point(problem: Problem, found: FoundQuery, times: float) -> CurvePoint:
    query = found.base + times * (found.query - found.base)
    return CurvePoint(times, float(problem.weights(query)[problem.inside].sum()), problem.error(query))


def _times_needed(problem: Problem, query: Array) -> float | None:
    """The smallest multiple of a query that gives the wanted weights; None where none does."""
    # Longer queries change the proportions of unequal weights, and enlarge a lead that is only rounding.
    if not problem.uniform or problem.inside.all():
        return None
    lead = _lead(problem, query)
    if lead <= problem.rounding(query):
        return None
    low, high = 1.0, 1.0
    while not problem.reached_by(high * query):
        low, high = high, 2 * high
        if high * lead > 100:
            return None
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if problem.reached_by(middle * query) else (middle, high)
    return high
