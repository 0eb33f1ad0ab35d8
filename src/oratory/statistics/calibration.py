"""The verdicts checked by simulation: their false positives and their power, beside the promised rates."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.statistics.crossed import LEAST_SEEDS, LEVEL, Array, Crossed, Strata, crossed, two_sided
from oratory.statistics.power import POWER, detectable
from oratory.statistics.rates import Calibration, Rate, Row
from oratory.statistics.verdicts import holm
from oratory.statistics.worlds import WORLDS, DrawSize, Scores, World

SEEDS = (3, 5, 10)
VARIANTS = 4
"""Variants that are compared with one baseline."""
TRIALS = 2000
LEAST_TRIALS = 100
POWER_SHARE = 4
"""Power is measured with one trial in this many: each has to work out which difference would have been seen."""
CELLS = 200_000
"""Scores of items that are drawn at once."""
LOOKED = "false, looking at each seed"
NOTE = (
    "In brackets: the 95% interval of the simulation, of {:,} trials, or {:,} for power. Alone: one variant against "
    f"the baseline. Of {VARIANTS}: {VARIANTS} variants against one baseline, after Holm; false is any false verdict "
    "among them, and power that of one variant which differs. Power: how often a true difference is shown that is as "
    "large as what another such comparison says it would have seen. A promise is kept where the whole interval "
    "is on its right side, broken (*) where it is on the wrong one, and else not refuted. "
    f"Looking at each seed: one variant, compared with {LEAST_SEEDS} seeds, then with one more, and so on up to the "
    "number of seeds; false is a verdict at any of these looks. Seeds only, items only: false verdicts of tests that "
    "leave out one of the two samples."
)


def calibrate(trials: int = TRIALS, seed: int = 0) -> Calibration:
    """False verdicts and power in every world, with few seeds and with many."""
    _check(trials)
    places = [(world, seeds) for world in WORLDS for seeds in SEEDS]
    streams = np.random.default_rng(seed).spawn(len(places))
    rows = tuple(simulate(world, seeds, trials, rng) for (world, seeds), rng in zip(places, streams, strict=True))
    return Calibration("False verdicts and power in %, simulated", rows, seed, NOTE.format(trials, _for_power(trials)))


def simulate(world: World, seeds: int, trials: int, rng: np.random.Generator) -> Row:
    """The rates in one world."""
    alone = together = looked = seeds_only = items_only = 0
    for differences, weights in _differences(world, VARIANTS, seeds, trials, rng):
        parts = crossed(differences, weights, world.strata)
        p, first = parts.p, _one(parts, slice(None))
        ever = p[:, 0] < LEVEL
        for fewer in range(LEAST_SEEDS, seeds):
            ever |= crossed(differences[:, 0, :fewer], weights, world.strata).p < LEVEL
        looked += int(ever.sum())
        alone += int((p[:, 0] < LEVEL).sum())
        together += sum(bool((_holm(each) < LEVEL).any()) for each in p)
        seeds_only += int((two_sided(first.mean, first.by_seed, first.seed_degrees) < LEVEL).sum())
        items_only += int((two_sided(first.mean, first.by_item, first.item_degrees) < LEVEL).sum())
    rates = {
        "false, alone": Rate(alone, trials, at_most=LEVEL),
        f"false, of {VARIANTS}": Rate(together, trials, at_most=LEVEL),
        "power, alone": _power(world, 1, seeds, _for_power(trials), rng),
        f"power, of {VARIANTS}": _power(world, VARIANTS, seeds, _for_power(trials), rng),
        LOOKED: Rate(looked, trials),
        "seeds only": Rate(seeds_only, trials),
        "items only": Rate(items_only, trials),
    }
    return Row(world.name, seeds, world.units, rates)


def same_variant(
    name: str,
    matrix: Array,
    weights: Array,
    seeds: int,
    trials: int = TRIALS,
    rng: np.random.Generator | None = None,
    strata: Strata | None = None,
) -> Row:
    """False verdicts on real scores: a variant's many seeds (S x N), some of them compared with others.

    Separate sets use each seed once. Random splits use them again and again, and so are not independent.
    """
    _check(trials)
    if seeds < LEAST_SEEDS:
        raise InputError(f"--seeds {seeds}: fewer than {LEAST_SEEDS} seeds on each side never give a verdict.")
    runs, each = len(matrix), 2 * seeds
    if runs < each:
        raise InputError(f"Two sets of {seeds} seeds need {each} runs of the variant; there are {runs}.")
    rng = rng or np.random.default_rng(0)
    separate = rng.permutation(runs)[: runs // each * each].reshape(-1, 2, seeds)
    splits = np.array([rng.permutation(runs)[:each].reshape(2, seeds) for _ in range(trials)])

    def false(pairs: NDArray[np.int64]) -> int:
        return sum(bool(crossed(matrix[one] - matrix[two], weights, strata).p < LEVEL) for one, two in pairs)

    rates = {
        "false, separate sets": Rate(false(separate), len(separate), at_most=LEVEL),
        "false, random splits": Rate(false(splits), trials),
    }
    return Row(name, seeds, matrix.shape[1], rates)


def _check(trials: int) -> None:
    if trials < LEAST_TRIALS:
        raise InputError(f"--trials {trials}: at least {LEAST_TRIALS} are needed to say anything about 5 in 100.")


def _for_power(trials: int) -> int:
    return max(LEAST_TRIALS, trials // POWER_SHARE)


def _differences(world: World, variants: int, seeds: int, trials: int, rng: np.random.Generator) -> Iterator[Scores]:
    """Differences from the baseline, trials x variants x seeds x items, and the weights; some trials at a time."""
    most = max(1, CELLS // ((variants + 1) * seeds * world.units))
    for done in range(0, trials, most):
        scores, weights = world.draw(DrawSize(min(most, trials - done), variants + 1, seeds), rng)
        yield scores[:, 1:] - scores[:, :1], weights


def _power(world: World, variants: int, seeds: int, trials: int, rng: np.random.Generator) -> Rate:
    """How often a true difference is shown that is as large as another comparison says it would have seen."""
    seen = asked = 0
    first, second = (_differences(world, variants, seeds, trials, rng) for _ in range(2))
    for drawn in zip(first, second, strict=True):
        said, other = (crossed(differences, weights, world.strata) for differences, weights in drawn)
        for trial in map(int, np.flatnonzero(said.decides[:, 0])):
            true = detectable(_one(said, trial), LEVEL / variants)
            shown = _one(other, trial, slice(None), true * (np.arange(variants) == 0))
            asked += 1
            seen += bool(_holm(shown.p)[0] < LEVEL and shown.mean[0] > 0)
    return Rate(seen, asked, at_least=POWER)


def _one(parts: Crossed, trial: int | slice, variant: int | slice = 0, shift: Array | float = 0.0) -> Crossed:
    """The parts of one trial and one variant, or of several, with a true difference added."""
    return replace(
        parts,
        mean=parts.mean[trial, variant] + shift,
        by_seed=parts.by_seed[trial, variant],
        by_item=parts.by_item[trial, variant],
        residual=parts.residual[trial, variant],
    )


def _holm(p: Array) -> Array:
    """p after Holm; 1 where there is no verdict."""
    adjusted = holm([None if np.isnan(value) else float(value) for value in p])
    return np.array([1.0 if value is None else value for value in adjusted])
