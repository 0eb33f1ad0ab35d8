"""How the wanted keys lie to each other and to the other keys, and which queries follow from that.

Weights are the softmax of scores, and scores are linear in the query. With `S` the keys that should have weight:

- inside `S`, differences of scores must be differences of logarithms of weights: linear equations for the query;
- outside `S`, scores must be lower by any amount: there must be a direction along which all of `S` score the same and
  every other key scores less. It exists if and only if the affine hull of `S` misses the convex hull of the others.

Together they describe the closure of an exponential family (Barndorff-Nielsen 1978, chapter 9).

Shapes: N keys, M of them not wanted, D dimensions, R directions along which all wanted keys score the same.
"""

from collections.abc import Iterator

import numpy as np

from oratory.inspect.solve.certificate import Certificate, coefficients, combination
from oratory.inspect.solve.margin import largest_margin
from oratory.inspect.solve.minimum import lowest, soft_maximum
from oratory.inspect.solve.problem import REACHED, Array, Problem

LEAKS = (1e-40, 1e-8)
"""The weight that may remain on keys that should have none: with the first, the query still works beside a new key;
the second makes it shorter, where rounding spoils a longer one."""
SMALL = 1e-9
"""Differences between wanted keys that may not show in the weights, in units of `Problem.size`."""
SPREAD = 100.0
"""How far apart scores may be where more would not help."""
TIED = 1e-9
"""Logarithms of weights that break an equation between the keys by less than this still satisfy it."""


def geometries(problem: Problem) -> "list[Geometry]":
    """The keys as they are; before that, if some wanted keys differ very little, the keys without these differences."""
    exact = Geometry(problem, problem.noise * float(np.sqrt(problem.inside.sum())))
    small = (exact.lengths[: exact.rank] <= SMALL).any()
    return [Geometry(problem, SMALL), exact] if small else [exact]


class Geometry:
    """The keys as seen from the first wanted one, in units of `Problem.size`.

    Queries are multiplied by `unit`, so that their products with these keys are scores.
    """

    base: Array
    """The shortest query that gives the wanted keys their proportions."""

    def __init__(self, problem: Problem, nothing: float) -> None:
        """Differences between wanted keys of at most `nothing` are ignored."""
        inside = problem.inside
        points = (problem.keys - problem.keys[inside][0]) / problem.size
        self.problem = problem
        self.unit = problem.size * problem.factor
        self.members, self.others = points[inside][1:], points[~inside]  # (N - M - 1, D), (M, D)
        logs = self._log_weights()
        self.logs = logs[1:] - logs[0]  # (N - M - 1,)
        left, self.lengths, right = np.linalg.svd(self.members)
        self.rank = rank = int((self.lengths > nothing).sum())
        self.across = right[rank:].T  # (D, R)
        self.inverse = (right[:rank].T / self.lengths[:rank]) @ left[:, :rank].T  # (D, N - M - 1)
        self.base = self.inverse @ self.logs
        self.rest = self.logs  # What no query gives; taken twice, to undo rounding.
        for _ in range(2):
            self.rest = self.rest - left[:, :rank] @ (left[:, :rank].T @ self.rest)
        self.rows = self.others @ self.across  # (M, R)
        self.separation = largest_margin(-self.rows) if len(self.rows) else None

    def queries(self) -> Iterator[Array]:
        """Queries that may give the wanted weights, the best first."""
        nothing = np.zeros(self.across.shape[1])
        if self.separation is None:
            yield self._query(nothing)
            return
        direction, offset = self.separation.direction, self._offset()
        # A margin that rounding could have made does not count.
        if self.separation.margin > self.problem.rounding(self.across @ direction / self.unit):
            for leak in LEAKS:
                yield self._query(_far_enough(self.rows @ direction, offset, leak) * direction)
        elif not self.problem.uniform:
            # With unequal weights, others that cannot lose all their weight may still lose enough of it.
            yield self._query(lowest(self.rows, offset, nothing, SPREAD))

    def limited(self, length: float) -> Array:
        """The best query of a length: wanted keys keep their proportions, and the others have the least weight."""
        nothing = np.zeros(self.across.shape[1])
        if self.separation is None:
            return self._query(nothing)
        radius = float(np.sqrt(max((length * self.unit) ** 2 - float(self.base @ self.base), 0.0)))
        offset = self._offset()
        nearby = lowest(self.rows, offset, nothing, radius)
        # Where the margin is tiny, the minimum is too flat to find, and the direction of the margin is better.
        far = radius * self.separation.direction
        return self._query(min(nearby, far, key=lambda part: soft_maximum(self.rows, offset, part)[0]))

    def certificate(self) -> Certificate:
        """Why no query gives the wanted weights."""
        return self._dependency() or self._hull() or self._length()

    def _offset(self) -> Array:
        """Logarithms of the weights of the other keys with the base query, relative to the wanted keys together."""
        return np.asarray(self.others @ self.base - np.log(1 + np.exp(self.logs).sum()))

    def _query(self, part: Array) -> Array:
        """The base query plus a part along which the wanted keys score the same."""
        query = self.base + self.across @ part
        # Rounding has moved the scores of wanted keys apart; move them back.
        query -= self.inverse @ (self.members @ query - self.logs)
        return np.asarray(query / self.unit)

    def _dependency(self) -> Certificate | None:
        """A linear relation between wanted keys that the logarithms of their weights do not satisfy."""
        if np.linalg.norm(self.rest) <= TIED * max(1.0, float(np.linalg.norm(self.logs))):
            return None
        rest = _with_first(self.rest, 0.0)
        rest /= np.abs(rest).max()
        value = float(rest[1:] @ self.logs)
        left = coefficients(np.flatnonzero(self.problem.inside), rest)
        says = (
            f"The keys satisfy {combination(left)} = 0, with coefficients that sum to 0. The logarithms of the weights "
            f"of every query then satisfy the same equation, but those of the wanted weights give {value:.4g}."
        )
        return Certificate("dependency", left, {}, value, 0.0, float(np.linalg.norm(rest[1:] @ self.members)), says)

    def _nearest(self) -> tuple[Array, Array, Array]:
        """Coefficients of the nearest points of both hulls, and the vector between these points."""
        assert self.separation is not None
        point = self.separation.share @ self.others
        affine = self.inverse.T @ point
        affine += self.inverse.T @ (point - affine @ self.members)  # Once more, to undo rounding.
        return _with_first(affine, 1.0), self.separation.share, affine @ self.members - point

    def _hull(self) -> Certificate | None:
        """A point that the affine hull of the wanted keys and the convex hull of the others share."""
        if self.separation is None:
            return None
        affine, share, apart = self._nearest()
        residual = float(np.linalg.norm(apart))
        if residual > self.problem.noise * (1 + np.abs(affine).sum()):
            return None
        left, right = self._named(affine, share)
        if len(left) == 1:
            says = (
                f"Key {next(iter(left))} lies in the convex hull of the others, = {combination(right)}: "
                "no query scores it above all of them."
            )
        else:
            least = float(np.exp(np.minimum(affine @ self._log_weights(), 700.0)))
            says = (
                f"The wanted keys and the others share a point, {combination(left)} = {combination(right)}: where the "
                "wanted keys have the right proportions, at least one of the others has a weight of at least "
                f"{least:.4g} times their sum."
            )
        return Certificate("hull", left, right, None, None, residual, says)

    def _length(self) -> Certificate:
        """A short vector between keys that must have a large score, so that the query must be long."""
        proportions = _with_first(self.inverse.T @ self.base, 0.0)
        size = float(np.abs(proportions).max()) or 1.0
        vectors = [(proportions / size, np.zeros(len(self.others)), self.base / size, self.base @ self.base / size)]
        if self.separation is not None:
            affine, share, apart = self._nearest()
            vectors.append((affine, share, apart, affine @ self._log_weights() - np.log(REACHED)))
        lengths = [float(np.linalg.norm(apart)) or np.inf for _, _, apart, _ in vectors]
        longest = int(np.argmax([score / length for (*_, score), length in zip(vectors, lengths, strict=True)]))
        (affine, share, apart, score), length = vectors[longest], lengths[longest]
        left, right = self._named(affine, share)
        query = apart * (score / length**2 / self.unit)
        value, needed = length * self.problem.size, float(np.linalg.norm(query))
        says = (
            f"{combination(left | {index: -share for index, share in right.items()})} is a vector of length "
            f"{value:.4g}, and the wanted weights need it to score {score:.4g}{' or more' * bool(right)}. The query "
            f"must be at least {needed:.4g} long for that, and its scores are then so large that rounding can move "
            f"them by {self.problem.rounding(query):.2g}."
        )
        return Certificate("length", left, right, value, needed, 0.0, says)

    def _log_weights(self) -> Array:
        return np.log(self.problem.wanted[self.problem.inside])

    def _named(self, wanted: Array, others: Array) -> tuple[dict[int, float], dict[int, float]]:
        """Coefficients of wanted keys and of the others, by the number of the key."""
        inside = self.problem.inside
        return coefficients(np.flatnonzero(inside), wanted), coefficients(np.flatnonzero(~inside), others)


def _with_first(others: Array, total: float) -> Array:
    """Coefficients of all wanted keys: the first one brings them to a given sum."""
    return np.append(total - others.sum(), others)


def _far_enough(slopes: Array, offset: Array, leak: float) -> float:
    """The multiple at which the sum of exp(offset + multiple x slope) is no more than `leak`."""
    from scipy.optimize import brentq

    def above(times: float) -> float:
        return soft_maximum(slopes[:, None], offset, np.array([times]))[0] - float(np.log(leak))

    if above(0.0) <= 0:
        return 0.0
    end = float((offset.max() + np.log(len(offset)) - np.log(leak)) / -slopes.max())
    return float(brentq(above, 0.0, 1.01 * end, xtol=1e-12 * end))
