"""The lowest point of a soft maximum inside a ball: what is best when a length is fixed."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEPS = 100
"""Newton steps at the most; ten are usual."""
SMALLEST = float(np.log(1e-12))
"""The logarithm of a mu that no longer holds z back."""


def lowest(rows: Array, offset: Array, pull: Array, radius: float) -> Array:
    """The z with |z| <= radius where logsumexp(rows z + offset) - pull.z is smallest.

    The function is convex. At the edge of the ball its gradient is -mu z for some mu > 0, so z is the free minimum of
    the function plus mu/2 |z|^2; |z| falls as mu rises, and the mu of the right radius is found by bisection.
    """
    from scipy.optimize import brentq

    unit = max(float(np.linalg.norm(rows, axis=1).max(initial=0.0)), float(np.linalg.norm(pull)))
    if not unit or not radius:
        return np.zeros(rows.shape[1])
    # Only directions in which scores differ: in all others there is nothing to gain, and rounding would lead astray.
    _, lengths, right = np.linalg.svd(rows / unit, full_matrices=False)
    basis = right[lengths > 1e-12].T
    rows, pull, radius = rows @ basis / unit, pull @ basis / unit, radius * unit
    start = np.zeros(basis.shape[1])

    def too_long(log_mu: float) -> float:
        nonlocal start
        start = _newton(rows, offset, pull, float(np.exp(log_mu)), start)
        return float(np.log(max(float(np.linalg.norm(start)), 1e-300) / radius))

    high = float(np.log(3.0 / radius))  # The gradient is at most 2 long, so here z is inside.
    low = high - 2.0
    while too_long(low) < 0:
        if low < SMALLEST:
            return basis @ start / unit  # The lowest point of all is inside the ball.
        low -= 4.0
    too_long(brentq(too_long, low, high, xtol=1e-13))
    return basis @ start * (radius / np.linalg.norm(start)) / unit


def _newton(rows: Array, offset: Array, pull: Array, mu: float, start: Array) -> Array:
    """The minimum of logsumexp(rows z + offset) - pull.z + mu/2 |z|^2, by Newton steps with backtracking."""

    def value(z: Array) -> float:
        scores = rows @ z + offset
        top = scores.max()
        return float(top + np.log(np.exp(scores - top).sum()) - pull @ z + mu / 2 * (z @ z))

    z = start
    for _ in range(STEPS):
        scores = rows @ z + offset
        share = np.exp(scores - scores.max())
        share /= share.sum()
        mean = share @ rows
        gradient = mean - pull + mu * z
        bends, turn = np.linalg.eigh((rows.T * share) @ rows - np.outer(mean, mean))
        step = -turn @ ((turn.T @ gradient) / (np.maximum(bends, 0.0) + mu))
        gain = -float(gradient @ step)
        if np.linalg.norm(step) <= 1e-13 * (1 + np.linalg.norm(z)):
            break
        size, before = 1.0, value(z)
        # Where there is so little to gain, the value no longer shows it, and whole steps are safe.
        while gain > 1e-10 and size > 1e-12 and value(z + size * step) > before - 0.25 * size * gain:
            size /= 2
        z = z + size * step
    return z
