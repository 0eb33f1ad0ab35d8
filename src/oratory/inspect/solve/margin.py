"""The direction of the largest margin: the one along which the lowest of some rows is as high as possible.

For every direction u of length 1 and every convex combination c of the rows, min(rows u) <= |c|; the two are equal for
the best of both. The nearest combination is the least-distance problem of Lawson and Hanson (1974, chapter 23), which
nonnegative least squares solves. It compares squares, so that rounding hides relative margins below about 1e-7. Where
the two do not meet, a linear program looks closer around the best direction so far, again and again (iterative
refinement: Gleixner, Steffy and Wolter 2016).

Shapes: M rows, R columns.
"""

from dataclasses import dataclass

import numpy as np

from oratory.inspect.solve.problem import Array

MEET = 1 - 1e-6
"""The margin found, as a share of the distance, at which the search ends."""
NOTHING = 1e-16
"""A distance that is zero, for rows of about length 1."""
ROUNDS = 12
"""Linear programs at most; one to three are usual."""
REACH = 1e6
"""How far a linear program may move from its direction, in units of the current margin."""
_PRECISE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class Separation:
    """The best direction and the nearest convex combination found so far."""

    rows: Array  # (M, R)
    direction: Array  # (R,), of length 1
    margin: float
    """The lowest of the rows along the direction."""
    share: Array  # (M,), not negative, with sum 1
    distance: float
    """The distance of this combination of the rows from zero; no direction has a larger margin."""

    @property
    def settled(self) -> bool:
        return self.distance <= NOTHING or self.margin >= MEET * self.distance

    def improved(self, share: Array, *directions: Array) -> "Separation":
        """The better ones of what was found so far and what is offered."""
        total = float(share.sum())
        share = share / total if total > 0 else self.share
        gap = self.rows.T @ share
        distance, margin, direction = float(np.linalg.norm(gap)), self.margin, self.direction
        for offered in (gap, *directions):
            size = float(np.linalg.norm(offered))
            lowest = float((self.rows @ offered).min()) / size if size > 0 else -np.inf
            if lowest > margin:
                margin, direction = lowest, offered / size
        if distance > self.distance:
            share, distance = self.share, self.distance
        return Separation(self.rows, direction, margin, share, distance)


def largest_margin(rows: Array) -> Separation:
    """The direction along which the lowest row is highest, and the convex combination that proves it."""
    even = np.full(len(rows), 1 / len(rows))
    found = Separation(rows, np.zeros(rows.shape[1]), -np.inf, even, np.inf)
    found = found.improved(_nearest_combination(rows, 1.0))
    if not found.settled:
        found = found.improved(_nearest_combination(rows, found.distance))
    for _ in range(ROUNDS):
        if found.settled:
            break
        before, found = found, found.improved(*_closer(found))
        if found.margin <= before.margin:
            break
    return found


def _nearest_combination(rows: Array, unit: float) -> Array:
    """Multiples of the coefficients of the convex combination nearest to zero, for distances of about `unit`."""
    from scipy.optimize import nnls

    sizes = np.maximum(np.linalg.norm(rows, axis=1), unit)
    system = np.vstack([rows.T, np.full(len(rows), unit)]) / sizes  # (R + 1, M)
    try:
        return np.asarray(nnls(system, np.eye(len(system))[-1], maxiter=30 * len(rows) + 100)[0] / sizes)
    except RuntimeError:  # No convergence: the linear program begins from the mean of the rows.
        return np.ones(len(rows))


def _closer(found: Separation) -> tuple[Array, Array]:
    """Coefficients and a direction that a linear program finds in a small neighbourhood of the direction so far.

    With u = direction + unit w and w at a right angle to the direction, it maximises the lowest of rows u. Each row is
    divided by its size, so that very different rows have coefficients of about 1.
    """
    from scipy.optimize import linprog

    rows, direction = found.rows, found.direction
    unit = max(found.distance, -found.margin)
    lead = rows @ direction / unit
    sizes = np.maximum(np.maximum(np.abs(lead), np.linalg.norm(rows, axis=1)), NOTHING)
    level = np.full((len(rows), 1), sizes.min())
    program = linprog(
        -np.eye(len(direction) + 1)[-1],
        A_ub=np.hstack([-rows, level]) / sizes[:, None],
        b_ub=lead / sizes,
        A_eq=np.append(direction, 0.0)[None],
        b_eq=[0.0],
        bounds=[(-REACH, REACH)] * len(direction) + [(None, None)],
        options=_PRECISE,
    )
    if program.x is None:
        return found.share, direction
    return np.maximum(-program.ineqlin.marginals, 0.0) / sizes, direction + unit * program.x[:-1]
