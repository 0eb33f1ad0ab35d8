"""How often a comparison sees a difference where there is none, if items come in groups that are alike.

Each cell has the lowest and the highest rate over crossed models with weak to strong effects of seeds and of items; a
twentieth of the items' variance belongs to their groups. The columns are numbers of groups, each of which counts as
one; *by item*: each item of ten groups counts as one, the highest rate. Sizes are *equal*; *uneven*, the largest ten
times the smallest; *one half*, where one group has half of all items; or *one most*, where it has nine tenths.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from oratory.statistics.crossed import LEVEL, crossed
from oratory.tables import Table, number, percent

CORRELATION = 0.05
GROUPS = (2, 3, 4, 5, 7, 10, 20)
SEEDS = (3, 5, 10)
MEANS = (25, 100)
SHAPES = ("equal", "uneven", "one half", "one most")
TRIALS = 10_000
BY_ITEM = 10
"""Groups where each item counts as one."""
CELLS = 2_000_000
"""Scores that are drawn at once."""


@dataclass(frozen=True)
class Variances:
    """Of a crossed model: a score is the sum of an effect of its seed, one of its item, and a residual."""

    seeds: float
    items: float
    residual: float


def sizes_of(shape: str, groups: int, mean: int) -> NDArray[np.int64]:
    """Sizes of groups with this mean."""
    made = np.geomspace(1, 10, groups) if shape == "uneven" else np.ones(groups)
    if shape.startswith("one"):
        made[0] = (groups - 1) * (1 if shape == "one half" else 9)
    sizes: NDArray[np.int64] = np.maximum(1, np.round(made / made.mean() * mean)).astype(np.int64)
    return sizes


def simulate_clustered(
    effects: Variances,
    correlation: float,
    sizes: NDArray[np.int64],
    seeds: int,
    trials: int,
    rng: np.random.Generator,
    by_group: bool = True,
) -> float:
    """How often the crossed test sees a difference where there is none, with new seeds and new groups each time.

    Each group of these sizes counts as one, or else each item does, whatever its group.
    """
    if by_group:
        # The mean of a group is drawn at once: what belongs to single items is divided by their number.
        owner, spread, weights = np.arange(len(sizes)), 1 / sizes, sizes.astype(np.float64)
    else:
        owner, spread, weights = np.repeat(np.arange(len(sizes)), sizes), np.ones(sizes.sum()), np.ones(sizes.sum())
    of_groups, of_items = effects.items * correlation, effects.items * (1 - correlation)
    shown = 0
    for count in _rounds(trials, seeds * len(owner)):
        scores = rng.normal(size=(count, seeds, len(owner))) * np.sqrt(effects.residual * spread)
        scores += rng.normal(size=(count, seeds, 1)) * np.sqrt(effects.seeds)
        scores += rng.normal(size=(count, 1, len(owner))) * np.sqrt(of_items * spread)
        scores += rng.normal(size=(count, 1, len(sizes)))[..., owner] * np.sqrt(of_groups)
        shown += int((crossed(scores, weights).p < LEVEL).sum())
    return shown / trials


def _rounds(trials: int, cells: int) -> Iterator[int]:
    """Trials in rounds that memory can hold."""
    at_once = max(1, CELLS // cells)
    while trials > 0:
        yield min(at_once, trials)
        trials -= at_once


def rates(
    seeds: int, sizes: NDArray[np.int64], rng: np.random.Generator, trials: int = TRIALS, by_group: bool = True
) -> list[float]:
    """Rates for effects in multiples of what the residual alone gives the means of seeds and of items."""
    worlds = product((0, 4, 60), (4, 15))
    effects = [Variances(of_seeds / sizes.sum(), of_items / seeds, 1.0) for of_seeds, of_items in worlds]
    return [simulate_clustered(each, CORRELATION, sizes, seeds, trials, rng, by_group) for each in effects]


def measure() -> Table:
    rng = np.random.default_rng(0)
    rows = []
    for shape, mean, seeds in product(SHAPES, MEANS, SEEDS):
        found = [rates(seeds, sizes_of(shape, groups, mean), rng) for groups in GROUPS]
        by_item = max(rates(seeds, sizes_of(shape, BY_ITEM, mean), rng, TRIALS // 10, by_group=False))
        cells = [f"{percent(min(each))}–{percent(max(each))}" for each in found]
        rows.append((shape, number(mean), number(seeds), *cells, percent(by_item)))
    columns = ("sizes", "mean size", "seeds", *map(str, GROUPS), "by item")
    return Table(f"False positives in % at a nominal 5% ({TRIALS:,} comparisons each)", columns, tuple(rows))
