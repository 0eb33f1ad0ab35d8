"""What a paired comparison shows: seeds x items in, a difference with its interval and a verdict out."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from oratory.errors import InputError, unknown
from oratory.statistics.crossed import LEVEL, Array, crossed, quantile, two_sided

POWER = 0.8
QUANTILES = 2000
"""Of the standard error, when power is worked out."""
ROUNDING = 1e-12
"""Scores that differ by no more than this share of themselves are the same score."""

Better = Literal["higher", "lower"]
Word = Literal["better", "worse", "no difference shown"]


@dataclass(frozen=True)
class Estimate:
    """A mean over seeds and items, and how far it can be trusted; one seed cannot say that."""

    mean: float
    interval: tuple[float, float] | None
    """Of 95%."""
    standard_error: float | None
    degrees: float | None
    """Degrees of freedom."""
    seeds: int
    items: int
    left_out: int
    """Seeds without a score, or with a score on one side only."""

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
    """Two-sided, for this difference alone."""
    detectable: float | None
    """The smallest true difference that a design as noisy as this shows four times in five."""


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
) -> Difference:
    """The difference of two S x N matrices of scores; a seed that has NaN in either is left out.

    `comparisons` is how many variants share the baseline: what is detectable is what Holm's first step would show.
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
    whole = ~np.isnan(left + right).any(axis=1)
    left, right = left[whole], right[whole]
    difference = np.where(np.isclose(left, right, rtol=ROUNDING, atol=0), 0.0, left - right)
    found = _estimate(difference, per_item, left_out=int((~whole).sum()))
    per_seed = difference @ per_item / per_item.sum()
    ahead = per_seed if better == "higher" else -per_seed
    p = smallest = None
    if found.standard_error is not None and found.degrees is not None:
        p = float(two_sided(np.asarray(found.mean), np.asarray(found.standard_error**2), found.degrees))
        smallest = detectable(found.standard_error, found.degrees, LEVEL / comparisons)
    return Difference(
        **vars(found),
        better=better,
        seed_differences=tuple(per_seed.tolist()),
        wins=int((ahead > 0).sum()),
        ties=int((ahead == 0).sum()),
        p=p,
        detectable=smallest,
    )


def single(matrix: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """The mean of one S x N matrix of scores; a seed that has NaN is left out."""
    scores = _matrix(matrix, "variant")
    whole = ~np.isnan(scores).any(axis=1)
    return _estimate(scores[whole], _weights(weights, scores.shape[1]), left_out=int((~whole).sum()))


def detectable(standard_error: float, degrees: float, level: float = LEVEL, power: float = POWER) -> float:
    """The true difference that a two-sided t test at `level` shows with this power, by the noncentral t distribution.

    Power is the mean of a normal tail over what the standard error may be; scipy's series fails at few degrees.
    """
    from scipy import stats

    critical = float(stats.t.isf(level / 2, degrees))
    chances = (np.arange(QUANTILES) + 0.5) / QUANTILES
    needed = critical * np.sqrt(stats.chi2.ppf(chances, degrees) / degrees)

    def short(shift: float) -> float:
        # A difference shown with the wrong sign is not counted.
        return float(ndtr(shift - needed).mean()) - power

    from scipy.optimize import brentq

    return standard_error * float(brentq(short, 0.0, 2 * critical + 4))


def holm(p: Sequence[float | None]) -> list[float | None]:
    """p adjusted for all that were tested together (Holm, Scandinavian Journal of Statistics 6, 1979)."""
    tested = sorted((value, place) for place, value in enumerate(p) if value is not None)
    adjusted: list[float | None] = [None] * len(p)
    highest = 0.0
    for rank, (value, place) in enumerate(tested):
        highest = max(highest, min(1.0, value * (len(tested) - rank)))
        adjusted[place] = highest
    return adjusted


def verdict(difference: Difference, p: float | None = None) -> Word:
    """The word for a difference, given its p after Holm (its own where none is given)."""
    p = difference.p if p is None else p
    if difference.seeds < 2 or p is None or p >= LEVEL:
        return "no difference shown"
    return "better" if (difference.mean > 0) == (difference.better == "higher") else "worse"


def verdict_text(difference: Difference, p: float | None = None, show: Callable[[float], str] = "{:.2g}".format) -> str:
    """The verdict as it is read, with what would have been seen; `show` puts a difference into its unit."""
    word = verdict(difference, p)
    if word != "no difference shown":
        return word
    if difference.detectable is None:
        return f"{word} (one seed cannot show any)"
    if difference.standard_error == 0:
        return f"{word} (all scores are the same)"
    return f"{word} (would have seen {show(difference.detectable)})"


def ratio(difference: Difference) -> Ratio:
    """A difference in nats per token as a ratio of perplexities."""
    interval = difference.interval and (float(np.exp(difference.interval[0])), float(np.exp(difference.interval[1])))
    return Ratio(float(np.exp(difference.mean)), interval)


def mean_of(values: Sequence[float]) -> Estimate:
    """The mean of one value for each seed, with Student's t interval over the seeds."""
    return single(np.array(values, np.float64)[:, None])


def prediction(values: Sequence[float]) -> tuple[float, float] | None:
    """Where one more seed lies, 19 times in 20, if seeds are normally distributed: mean ± t s sqrt(1 + 1/S).

    See Geisser, Predictive Inference (1993), section 1.2.
    """
    count = len(values)
    if count < 2:
        return None
    reach = float(quantile(count - 1) * np.std(values, ddof=1) * np.sqrt(1 + 1 / count))
    mean = float(np.mean(values))
    return mean - reach, mean + reach


def _matrix(given: ArrayLike, name: str) -> Array:
    values = np.asarray(given, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise InputError(f"The scores of a {name} are a matrix of seeds x items; these have the shape {values.shape}.")
    if np.isinf(values).any():
        raise InputError(f"The scores of a {name} are infinite somewhere; give NaN for the seed of a run that failed.")
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


def _estimate(matrix: Array, weights: Array, left_out: int) -> Estimate:
    seeds, items = matrix.shape
    if seeds == 0:
        raise InputError("No seed has a score on every item; at least one run must have ended well on each side.")
    if seeds == 1:
        mean = float(matrix[0] @ weights / weights.sum())
        return Estimate(mean, None, None, None, seeds, items, left_out)
    found = crossed(matrix, weights)
    mean, degrees, error = float(found.mean), float(found.degrees), float(np.sqrt(found.variance))
    reach = error * float(quantile(degrees))
    return Estimate(mean, (mean - reach, mean + reach), error, degrees, seeds, items, left_out)
