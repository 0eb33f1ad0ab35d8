"""A query for wanted weights: exact where that is possible, with a certificate where it is not, or least squares."""

from dataclasses import dataclass, replace

import numpy as np

from oratory.inspect.solve.certificate import Certificate
from oratory.inspect.solve.geometry import SPREAD, Geometry, geometries
from oratory.inspect.solve.minimum import lowest
from oratory.inspect.solve.problem import Array, Problem


@dataclass(frozen=True)
class FoundQuery:
    """A query, and a certificate where it cannot give the wanted weights."""

    query: Array
    base: Array
    """The part of the query that stays when the query is made longer: it gives the wanted keys their proportions."""
    certificate: Certificate | None = None


def exact_query(problem: Problem) -> FoundQuery:
    """The query of the largest margin, or that of the smallest divergence where none fits or none is short enough."""
    attempts = []
    ways = geometries(problem)
    for geometry in ways:
        for query in geometry.queries():
            if problem.reached_by(query):
                return _shortened(problem, geometry, query)
            attempts.append(query)
    attempts = [query for query in attempts if problem.length is None or np.linalg.norm(query) <= problem.length]
    attempts.append(_nearest(problem, min(SPREAD / ways[-1].unit, problem.length or np.inf)))
    query = min(attempts, key=problem.divergence)
    why = None if problem.reached_by(query) else ways[-1].certificate()
    return FoundQuery(query, np.zeros_like(query), why)


def least_squares_query(problem: Problem, targets: Array | None) -> FoundQuery:
    """The shortest query whose scores are nearest to the targets, made shorter where the length is limited."""
    targets = usual_targets(problem.wanted) if targets is None else targets
    query: Array = np.linalg.lstsq(problem.factor * problem.keys, targets, rcond=None)[0].astype(np.float64)
    length = float(np.linalg.norm(query))
    if problem.length is not None and length > problem.length:
        query = query * problem.length / length
    why = None if problem.reached_by(query) else exact_query(replace(problem, length=None)).certificate
    return FoundQuery(query, np.zeros_like(query), why)


def usual_targets(wanted: Array) -> Array:
    """The scores that least squares aims at where none are given.

    To select one key: 100 for it and 0 for the others. To average all: 0. To average some: 3 for them and -2, -3, -4,
    ... for the others. For any other weights: their logarithms, and 10 less than the smallest for weights of zero.
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


def _shortened(problem: Problem, geometry: Geometry, query: Array) -> FoundQuery:
    """A query that gives the wanted weights, or the best one that is short enough."""
    base = geometry.base / geometry.unit
    if problem.length is None or np.linalg.norm(query) <= problem.length:
        return FoundQuery(query, base)
    if np.linalg.norm(base) < problem.length:
        return FoundQuery(geometry.limited(problem.length), base)
    return FoundQuery(_nearest(problem, problem.length), np.zeros_like(query))


def _nearest(problem: Problem, length: float) -> Array:
    """The query of at most a given length whose weights have the smallest divergence from the wanted ones."""
    rows = problem.factor * (problem.keys - problem.keys.mean(0))
    return lowest(rows, np.zeros(len(rows)), problem.wanted @ rows, length)
