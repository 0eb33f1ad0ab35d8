"""A query for wanted weights: exactly where that is possible, and why not where it is not.

Weights are the softmax of scores, and scores are linear in the query. With `S` the keys that should have weight:

- inside `S`, differences of scores must be differences of logarithms of weights: linear equations for the query;
- beside `S`, scores must fall behind by as much as one likes: a direction along which all of `S` scores the same and
  every other key less. It exists if and only if the affine hull of `S` misses the convex hull of the others.

Together they describe the closure of an exponential family (Barndorff-Nielsen 1978, chapter 9). The direction of the
largest margin is the least-distance problem of Lawson and Hanson (1974, chapter 23), which nonnegative least squares
solves; where there is none, its multipliers are the convex combination that proves it.

Shapes: N keys, M of them not wanted, D dimensions, R directions along which all wanted keys score the same.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.inspect.solve_facts import Certificate
from oratory.inspect.solve_near import lowest

Array = NDArray[np.float64]

LEAK = 1e-40
"""The weight that may stay on keys that should have none: so little that the query still serves beside a new key."""
NOTHING = 1e-9
"""What counts as zero, relative to the size of the keys."""
SPREAD = 100.0
"""Where no query gives the wanted weights, the nearest one may spread scores by so much."""


@dataclass(frozen=True)
class Problem:
    """Keys, the weights that they should have, and what scores are multiplied with."""

    keys: Array  # (N, D)
    wanted: Array  # (N,)
    factor: float
    length: float | None = None

    @property
    def inside(self) -> NDArray[np.bool_]:
        return self.wanted > 0

    @property
    def uniform(self) -> bool:
        """Whether all weights that are not zero are the same."""
        return bool(np.ptp(self.wanted[self.inside]) == 0)

    @property
    def size(self) -> float:
        """How far the keys lie from their mean: the unit of every tolerance."""
        return float(np.linalg.norm(self.keys - self.keys.mean(0), axis=1).max()) or 1.0


@dataclass(frozen=True)
class Found:
    """A query, the part of it that stays when it is scaled, and a certificate where the weights are impossible."""

    query: Array
    steady: Array
    certificate: Certificate | None = None


def least_squares(problem: Problem, targets: Array) -> Found:
    """The shortest query whose scores are nearest to given ones."""
    query: Array = np.linalg.lstsq(problem.factor * problem.keys, targets, rcond=None)[0].astype(np.float64)
    return Found(query, np.zeros_like(query), impossible(problem))


def exactly(problem: Problem) -> Found:
    """The query of the largest margin; the nearest weights where none gives the wanted ones, or none short enough."""
    geometry = _Geometry(problem)
    certificate = geometry.dependency() or geometry.hull()
    short = problem.length is None or np.linalg.norm(geometry.steady) <= problem.length
    if certificate or not short:
        query = _nearest(problem)
        return Found(query, np.zeros_like(query), certificate)
    return Found(geometry.query(), geometry.steady)


def impossible(problem: Problem) -> Certificate | None:
    """Why no query of any length gives the wanted weights, if none does."""
    geometry = _Geometry(problem)
    return geometry.dependency() or geometry.hull()


class _Geometry:
    """How wanted keys lie to each other and to the rest."""

    steady: Array
    """The shortest query that gives wanted keys their proportions."""

    def __init__(self, problem: Problem) -> None:
        from scipy.optimize import nnls

        self.problem = problem
        members = problem.keys[problem.inside]
        self.centre = members.mean(0)
        self.within = members - self.centre  # (N - M, D)
        self.logs = np.log(problem.wanted[problem.inside])
        self.logs = np.zeros(len(members)) if problem.uniform else self.logs - self.logs.mean()
        left, lengths, right = np.linalg.svd(self.within)
        rank = int((lengths > NOTHING * problem.size).sum())
        self.across = right[rank:].T  # (D, R)
        self.inverse = (right[:rank].T / lengths[:rank]) @ left[:, :rank].T  # (D, N - M)
        self.steady = self.inverse @ self.logs / problem.factor
        behind = self.centre - problem.keys[~problem.inside]  # (M, D)
        self.behind = behind @ self.across / problem.size  # (M, R)
        self.share = np.zeros(len(behind))
        if len(behind):
            system = np.vstack([self.behind.T, np.ones(len(behind))])
            share, _ = nnls(system, np.eye(len(system))[-1], maxiter=30 * len(behind) + 100)
            self.share = share / share.sum()
        self.gap = self.behind.T @ self.share  # (R,): the shortest way from the others to the wanted keys

    def dependency(self) -> Certificate | None:
        """A linear relation between wanted keys that the logarithms of their weights do not keep."""
        rest = self.logs - self.within @ (self.inverse @ self.logs)
        rest -= rest.mean()
        if np.linalg.norm(rest) <= NOTHING * max(1.0, float(np.linalg.norm(self.logs))):
            return None
        rest /= np.abs(rest).max()
        members = np.flatnonzero(self.problem.inside)
        residual = float(np.linalg.norm(rest @ self.problem.keys[members])) / self.problem.size
        value = float(rest @ np.log(self.problem.wanted[members]))
        left = _named(members, rest)
        says = (
            f"The keys are tied by {_sum(left)} = 0, with coefficients that sum to 0; for every query the logarithms "
            f"of the weights then satisfy the same equation, and those of the wanted weights give {value:.4g}."
        )
        return Certificate("dependency", left, {}, value, 0.0, residual, says)

    def hull(self) -> Certificate | None:
        """A point that wanted keys and the others share."""
        if not len(self.share) or np.linalg.norm(self.gap) > NOTHING:
            return None
        problem, inside = self.problem, self.problem.inside
        point = self.share @ problem.keys[~inside]
        combination = 1 / len(self.within) + self.inverse.T @ (point - self.centre)
        residual = float(np.linalg.norm(combination @ problem.keys[inside] - point)) / problem.size
        left = _named(np.flatnonzero(inside), combination)
        right = _named(np.flatnonzero(~inside), self.share)
        if len(left) == 1:
            says = (
                f"Key {next(iter(left))} lies in the convex hull of the others, = {_sum(right)}: "
                "no query scores it above all of them."
            )
        else:
            says = (
                f"The wanted keys and the others share a point, {_sum(left)} = {_sum(right)}: where a query scores "
                "the wanted ones alike, at least one of the others scores as much."
            )
        return Certificate("hull", left, right, None, None, residual, says)

    def query(self) -> Array:
        """The steady part, and as much of the best direction as the length allows or the weights need."""
        problem = self.problem
        if not len(self.share):
            return self.steady
        rows = -self.behind * problem.size * problem.factor  # (M, R)
        offset = problem.factor * (problem.keys[~problem.inside] - self.centre) @ self.steady
        offset -= np.log(np.exp(self.logs).sum())
        if problem.length is None:
            direction = self.gap / np.linalg.norm(self.gap)
            found = _far_enough(rows @ direction, offset) * direction
        else:
            left = problem.length**2 - float(self.steady @ self.steady)
            found = lowest(rows, offset, np.zeros(rows.shape[1]), np.sqrt(max(left, 0.0)))
        return self._polished(self.steady + self.across @ found)

    def _polished(self, query: Array) -> Array:
        # What rounding has moved between wanted keys is moved back.
        wrong = self.within @ query - self.logs / self.problem.factor
        return np.asarray(query - self.inverse @ wrong)


def _far_enough(slopes: Array, offset: Array) -> float:
    """The multiple at which what leaks, the sum of exp(offset + multiple x slope), is small enough."""
    from scipy.optimize import brentq
    from scipy.special import logsumexp

    def above(times: float) -> float:
        return float(logsumexp(offset + times * slopes) - np.log(LEAK))

    if above(0.0) <= 0:
        return 0.0
    end = (offset.max() + np.log(len(offset)) - np.log(LEAK)) / -slopes.max()
    return float(brentq(above, 0.0, 1.01 * end, xtol=1e-12 * end))


def _nearest(problem: Problem) -> Array:
    """The query with the smallest divergence of its weights from the wanted ones, within the length."""
    rows = problem.factor * (problem.keys - problem.keys.mean(0))
    radius = SPREAD / (problem.size * problem.factor) if problem.length is None else problem.length
    return lowest(rows, np.zeros(len(rows)), problem.wanted @ rows, radius)


def _named(indices: NDArray[Any], coefficients: Array) -> dict[int, float]:
    """The coefficients that are not zero, by the number of the key."""
    kept = zip(indices.tolist(), coefficients.tolist(), strict=True)
    return {index: value for index, value in kept if abs(value) > 1e-15}


def _sum(terms: dict[int, float]) -> str:
    """`0.5 key 1 + 0.5 key 2`."""
    shown = [f"{value:.4g} key {index}" for index, value in terms.items()]
    more = [f"... ({len(shown) - 8} more)"] if len(shown) > 8 else []
    return " + ".join(shown[:8] + more).replace("+ -", "- ")
