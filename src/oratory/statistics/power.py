"""The difference that an experiment would have shown.

A reader of "would have seen X" takes it that a true difference of X is shown four times in five. X is worked out from
variances that are themselves estimates; if they were taken for the true ones, X would be too small about as often as
too large, and what it loses by the one is more than what it gains by the other. So the true variances are drawn around
the estimated ones, by their chi-square distributions, and X has its power on the average over them. For one sample this
is exact: X / s has the same distribution whatever the true variance is.
"""

from functools import lru_cache

import numpy as np

from oratory.statistics.crossed import LEVEL, Array, Crossed

POWER = 0.8
DRAWS = 1024
"""Of true variances and new experiments."""


def detectable(parts: Crossed, level: float = LEVEL, power: float = POWER) -> float:
    """The true difference that a new experiment like this one shows at `level` with this power.

    The new experiment has to pass the same tests. A difference that is shown with the wrong sign is not counted.
    """
    true, found = _mean_squares(parts.seed_degrees, parts.item_degrees)
    residual = parts.residual / true[2]
    from scipy.optimize import brentq  # Loaded when it is needed: names are checked without it.
    from scipy.special import ndtr

    # Seeds and items alike give the mean at least what the residual gives it.
    by_seed = np.maximum(parts.by_seed / true[0], residual)
    by_item = np.maximum(parts.by_item / true[1], residual)
    deviation = np.sqrt(by_seed + by_item - residual)
    again = Crossed(
        np.zeros(DRAWS),
        by_seed * found[0],
        by_item * found[1],
        residual * found[2],
        parts.seed_degrees,
        parts.item_degrees,
    )
    needed = again.reach(level)

    def short(difference: float) -> float:
        return float(ndtr((difference - needed) / deviation).mean()) - power

    most = float(np.median(needed))
    while short(most) < 0:
        most *= 2
    return float(brentq(short, 0.0, most))


@lru_cache(maxsize=64)
def _mean_squares(seed_degrees: float, item_degrees: float) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Mean squares over their expectation, of seeds, items and residual: for the truth, and for a new experiment."""
    from scipy.special import gammaincinv

    degrees = np.array([seed_degrees, item_degrees, seed_degrees * item_degrees] * 2)
    squares = 2 * gammaincinv(degrees[:, None] / 2, _even(len(degrees))) / degrees[:, None]
    return tuple(squares[:3]), tuple(squares[3:])


def _even(dimensions: int) -> Array:
    """Points that fill a cube evenly: multiples of the inverse powers of the root of x^(d+1) = x + 1.

    After M. Roberts, The unreasonable effectiveness of quasirandom sequences (2018).
    """
    from scipy.optimize import brentq

    root = brentq(lambda x: x ** (dimensions + 1) - x - 1, 1.0, 2.0)
    steps = root ** -np.arange(1.0, dimensions + 1)
    return (0.5 + np.outer(steps, np.arange(1, DRAWS + 1))) % 1.0
