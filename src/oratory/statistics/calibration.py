"""How often the test sees a difference where there is none, by simulation; 5 in 100 is what it promises.

Two worlds without a difference. In the first, real scores of many seeds of one variant are split into two sets: new
seeds, the same items. In the second, the crossed model draws new seeds and new items each time.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from oratory.errors import InputError
from oratory.statistics.crossed import LEVEL, Array, Crossed, crossed, two_sided


@dataclass(frozen=True)
class FalsePositives:
    """Rates of the crossed test, and of two that leave one of the samples out."""

    crossed: float
    seeds_only: float
    """A t test over the means of seeds: items are taken as fixed."""
    items_only: float
    """A t test over the means of items, seeds pooled: seeds are taken as fixed."""
    trials: int


@dataclass(frozen=True)
class Effects:
    """Variances of a crossed model: a score is the sum of an effect of its seed, one of its item, and a residual."""

    seeds: float
    items: float
    residual: float


def fit_effects(matrix: Array) -> Effects:
    """The variances of the effects in an S x N matrix, by the method of moments; none is below zero."""
    seeds, items = matrix.shape
    parts = crossed(matrix, np.ones(items))
    residual = float(parts.residual) * seeds * items
    of_seeds = float(parts.by_seed - parts.residual) * seeds
    of_items = float(parts.by_item - parts.residual) * items
    return Effects(max(0.0, of_seeds), max(0.0, of_items), residual)


def simulate_false_positives(matrix: Array, seeds: int, trials: int, rng: np.random.Generator) -> FalsePositives:
    """The rates on real scores: twice `seeds` seeds of one and the same variant, drawn from its many, are compared."""
    if len(matrix) < 2 * seeds:
        raise InputError(f"Two sets of {seeds} seeds need {2 * seeds} runs of the variant; there are {len(matrix)}.")

    def draw() -> Array:
        order = rng.permutation(len(matrix))
        return matrix[order[:seeds]] - matrix[order[seeds : 2 * seeds]]

    return _rates(draw() for _ in range(trials))


def simulate_crossed(effects: Effects, seeds: int, items: int, trials: int, rng: np.random.Generator) -> FalsePositives:
    """The rates on differences of the crossed model whose true mean is zero."""

    def draw() -> Array:
        of_seeds = rng.normal(scale=np.sqrt(effects.seeds), size=(seeds, 1))
        of_items = rng.normal(scale=np.sqrt(effects.items), size=(1, items))
        return of_seeds + of_items + rng.normal(scale=np.sqrt(effects.residual), size=(seeds, items))

    return _rates(draw() for _ in range(trials))


def _rates(differences: Iterable[Array]) -> FalsePositives:
    trials = [crossed(difference, np.ones(difference.shape[1])) for difference in differences]
    mean, by_seed, by_item, residual = (
        np.array([getattr(parts, name) for parts in trials]) for name in ("mean", "by_seed", "by_item", "residual")
    )
    of_seeds, of_items = trials[0].seed_degrees, trials[0].item_degrees
    tests = (
        Crossed(mean, by_seed, by_item, residual, of_seeds, of_items).p,
        two_sided(mean, by_seed, of_seeds),
        two_sided(mean, by_item, of_items),
    )
    ours, seeds_only, items_only = (float((p < LEVEL).mean()) for p in tests)
    return FalsePositives(ours, seeds_only, items_only, len(trials))
