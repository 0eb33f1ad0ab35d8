"""What a paired comparison shows: seeds x items in, a difference with its interval and its p out."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from oratory.errors import InputError, unknown
from oratory.statistics.crossed import LEAST_SEEDS, LEVEL, Array, Crossed, Strata, crossed, quantile
from oratory.statistics.power import detectable

ROUNDING = 1e-12
"""Scores that differ by no more than this share of themselves are the same score."""
_SMALL = ("none", "one", "two", "three")

Better = Literal["higher", "lower"]


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds and items, and how far it can be trusted; neither one seed nor equal scores can say that."""

    mean: float
    interval: tuple[float, float] | None
    """Of 95%: the widest of those over seeds and items, over seeds, and over items."""
    standard_error: float | None
    """Over seeds and items."""
    degrees: float | None
    """Degrees of freedom of the standard error."""
    seeds: int
    items: int
    left_out: int
    """Seeds that lack a score of some item, on either side."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Difference(Estimate):
    """A variant less its baseline, on the same seeds and items."""

    better: Better
    seed_differences: tuple[float, ...]
    wins: int
    """Seeds with which the variant is the better one."""
    ties: int
    p: float | None
    """Two-sided, for this difference alone: below 0.05 where the interval leaves out zero."""
    detectable: float | None
    """The smallest true difference that a design as noisy as this shows four times in five."""
    undecided: str | None
    """Why there can be no verdict, where there can be none; then there is no interval and no p either."""


@dataclass(frozen=True)
class Ratio:
    """How many times the baseline's perplexity the variant's is."""

    value: float
    interval: tuple[float, float] | None


def paired(
    variant: ArrayLike,
    baseline: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    better: Better = "higher",
    comparisons: int = 1,
    strata: Strata | None = None,
    rows: tuple[str, str] = ("seed", "seeds"),
) -> Difference:
    """The difference of two S x N matrices of scores; a seed that lacks a score (NaN) on either side is left out.

    `comparisons` is how many variants share the baseline: what is detectable is what Holm's first step would show.
    `strata` has the stratum of each item, where a new sample would have as many items of each. `rows` is what one row
    of the matrices is called, and what several are.
    """
    if better not in ("higher", "lower"):
        raise unknown("direction", better, ("higher", "lower"))
    left, right = _matrix(variant, "variant"), _matrix(baseline, "baseline")
    if left.shape != right.shape:
        raise InputError(
            f"The variant has {left.shape[0]} seeds x {left.shape[1]} items and the baseline {right.shape[0]} x "
            f"{right.shape[1]}; a paired comparison needs the same seeds and items on both sides."
        )
    per_item = _weights(weights, left.shape[1])
    whole = np.isfinite(left).all(axis=1) & np.isfinite(right).all(axis=1)
    left, right = left[whole], right[whole]
    difference = np.where(np.isclose(left, right, rtol=ROUNDING, atol=0), 0.0, left - right)
    found, parts = _estimate(difference, per_item, strata, left_out=int((~whole).sum()))
    why = _undecided(found, parts, difference, rows)
    if why is not None:
        found, parts = replace(found, interval=None), None
    per_seed = difference @ per_item / per_item.sum()
    ahead = per_seed if better == "higher" else -per_seed
    return Difference(
        **vars(found),
        better=better,
        seed_differences=tuple(per_seed.tolist()),
        wins=int((ahead > 0).sum()),
        ties=int((ahead == 0).sum()),
        p=None if parts is None else float(parts.p),
        detectable=None if parts is None else detectable(parts, LEVEL / comparisons),
        undecided=why,
    )


def single(matrix: ArrayLike, weights: ArrayLike | None = None, strata: Strata | None = None) -> Estimate:
    """The mean of one S x N matrix of scores; a seed that lacks a score (NaN) is left out."""
    scores = _matrix(matrix, "variant")
    whole = np.isfinite(scores).all(axis=1)
    return _estimate(scores[whole], _weights(weights, scores.shape[1]), strata, left_out=int((~whole).sum()))[0]


def over_items(values: ArrayLike, weights: ArrayLike | None = None, strata: Strata | None = None) -> Estimate:
    """The mean of the scores of one model, with its interval for new items; how seeds vary is not in it."""
    scores = np.asarray(values, np.float64)
    if len(scores) < 2:
        return single(scores[None], weights)
    parts = crossed(np.stack([scores, scores]), _weights(weights, len(scores)), strata)
    mean, error = float(parts.mean), float(np.sqrt(parts.by_item))
    reach = float(quantile(parts.item_degrees)) * error
    interval = (mean - reach, mean + reach) if error > 0 else None  # Equal scores say nothing of others.
    return Estimate(mean, interval, error, parts.item_degrees, 1, len(scores), 0)


def ratio(difference: Difference) -> Ratio:
    """A difference in nats per token as a ratio of perplexities."""
    interval = difference.interval and (float(np.exp(difference.interval[0])), float(np.exp(difference.interval[1])))
    return Ratio(float(np.exp(difference.mean)), interval)


def mean_of(values: Sequence[float]) -> Estimate:
    """The mean of one value for each seed, with Student's t interval over the seeds."""
    return single(np.array(values, np.float64)[:, None])


def prediction(values: Sequence[float]) -> tuple[float, float] | None:
    """Where one more seed lies, 19 times in 20, if seeds are normally distributed: mean ± t s sqrt(1 + 1/S).

    See Geisser, Predictive Inference (1993), section 1.2. With two seeds t is 12.7, and nearly every value lies there.
    """
    count = len(values)
    if count < LEAST_SEEDS:
        return None
    reach = float(quantile(count - 1) * np.std(values, ddof=1) * np.sqrt(1 + 1 / count))
    mean = float(np.mean(values))
    return mean - reach, mean + reach


def _matrix(given: ArrayLike, name: str) -> Array:
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"The scores of a {name} are a matrix of seeds x items; these have the shape {values.shape}.")
    return values


def _weights(given: ArrayLike | None, items: int) -> Array:
    if given is None:
        return np.ones(items)
    values = np.asarray(given, dtype=np.float64)
    if values.shape != (items,):
        raise InputError(f"There are {items} items, and weights of the shape {values.shape}; each item needs one.")
    if not (np.isfinite(values) & (values > 0)).all():
        raise InputError("The weights of items are positive numbers, such as counts of tokens.")
    return values


def _estimate(matrix: Array, weights: Array, strata: Strata | None, left_out: int) -> tuple[Estimate, Crossed | None]:
    seeds, items = matrix.shape
    if seeds == 0:
        raise InputError("No seed has a score on every item; at least one run must have ended well on each side.")
    if seeds == 1:
        mean = float(matrix[0] @ weights / weights.sum())
        return Estimate(mean, None, None, None, seeds, items, left_out), None
    parts = crossed(matrix, weights, strata)
    mean, reach, error = float(parts.mean), float(parts.reach()), float(np.sqrt(parts.variance))
    interval = (mean - reach, mean + reach) if error > 0 else None
    return Estimate(mean, interval, error, float(parts.degrees), seeds, items, left_out), parts


def _undecided(found: Estimate, parts: Crossed | None, difference: Array, rows: tuple[str, str]) -> str | None:
    """Why there can be no verdict, if there can be none."""
    one, several = rows
    if found.seeds < LEAST_SEEDS:
        count = f"one {one}" if found.seeds == 1 else f"{_SMALL[found.seeds]} {several}"
        of = f"{count} of {found.seeds + found.left_out}" if found.left_out else count
        return f"{of}; at least {_SMALL[LEAST_SEEDS]} are needed"
    if not difference.any():
        return "every score is the same as the baseline's"
    if parts is None or not parts.decides:
        same = f"the difference is exactly the same with all {found.seeds} {several}"
        return f"{same}, so they do not say how much it varies"
    return None
