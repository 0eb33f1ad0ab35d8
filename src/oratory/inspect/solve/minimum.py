"""The lowest point of a soft maximum inside a ball: the best query when its length is limited."""

from functools import cache
from typing import Any

import numpy as np

from oratory.inspect.solve.problem import Array

STEPS = 100
"""Newton steps at most for each mu; ten are usual."""


def lowest(rows: Array, offset: Array, pull: Array, radius: float) -> Array:
    """The z with |z| <= radius where logsumexp(rows z + offset) - pull.z is smallest.

    The function is convex. At the edge of the ball its gradient is -mu z for some mu > 0, so z is the free minimum of
    the function plus mu/2 |z|^2. Its length falls as mu rises, so a root finder finds the mu with |z| = radius.
    """
    from scipy.optimize import brentq

    unit = max(float(np.linalg.norm(rows, axis=1).max(initial=0.0)), float(np.linalg.norm(pull)))
    if not unit or not radius:
        return np.zeros(rows.shape[1])
    # Keep only directions in which scores differ. The others gain nothing, and rounding would lead astray there.
    _, lengths, right = np.linalg.svd(rows / unit, full_matrices=False)
    basis = right[lengths > 1e-12].T
    rows, pull, radius = rows @ basis / unit, pull @ basis / unit, radius * unit
    start = np.zeros(basis.shape[1])

    @cache  # The root finder asks for its ends again, and must get the same answer.
    def at(log_mu: float) -> Array:
        nonlocal start
        start = _free_minimum(rows, offset, pull, float(np.exp(log_mu)), start, radius)
        return start

    def excess(log_mu: float) -> float:
        return float(np.log(max(float(np.linalg.norm(at(log_mu))), 1e-300)) - np.log(radius))

    high = float(np.log(3.0 / radius))  # The gradient is at most 2 long, so z is inside the ball here.
    low = high - 2.0
    while excess(low) < 0:
        if low < np.log(1e-10) - 2 * max(0.0, np.log(radius)):
            return basis @ at(low) / unit  # The free minimum is inside the ball.
        low -= 4.0
    # The value at the edge is flat around its minimum, so mu need not be more exact.
    edge = at(brentq(excess, low, high, xtol=1e-10))
    return basis @ edge * (radius / np.linalg.norm(edge)) / unit


def soft_maximum(rows: Array, offset: Array, z: Array) -> tuple[float, Array]:
    """logsumexp(rows z + offset), and the softmax of the same numbers."""
    scores = rows @ z + offset
    top = float(scores.max())
    shares = np.exp(scores - top)
    return top + float(np.log(shares.sum())), shares / shares.sum()


def _free_minimum(rows: Array, offset: Array, pull: Array, mu: float, start: Array, radius: float) -> Array:
    """The minimum of logsumexp(rows z + offset) - pull.z + mu/2 |z|^2."""
    from scipy.optimize import minimize

    def value(z: Array) -> tuple[float, Array]:
        top, share = soft_maximum(rows, offset, z)
        return top - float(pull @ z) + mu / 2 * float(z @ z), share @ rows - pull + mu * z

    def curvature(z: Array) -> Array:
        share = soft_maximum(rows, offset, z)[1]
        apart = rows - share @ rows
        return np.asarray((apart.T * share) @ apart + mu * np.eye(len(z)))

    options = {"gtol": max(1e-9 * mu * radius, 1e-15), "maxiter": STEPS}
    options |= {"initial_trust_radius": radius, "max_trust_radius": 1e3 * radius}
    found: Any = minimize(value, start, jac=True, hess=curvature, method="dogleg", options=options)
    return np.asarray(found.x)
