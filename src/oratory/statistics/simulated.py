"""A comparison that was never run: its true difference is known, so one sees what the statistics make of it."""

from dataclasses import dataclass

import numpy as np

from oratory.statistics.crossed import Array


@dataclass(frozen=True)
class Simulated:
    """A score is the mean, an effect of its seed, one of its item, and a residual. All are normal, in one unit.

    The noise is that of the paired difference: what both variants have in common is not in it.
    """

    effect: float
    """The true difference."""
    seed_noise: float
    """The standard deviation of the difference from seed to seed."""
    item_noise: float
    """The same from item to item."""
    rest: float
    """The same of what neither the seed nor the item explains."""
    seeds: int
    items: int

    def draw(self, rng: np.random.Generator) -> Array:
        """Seeds x items differences. A new seed is one more row: those before it stay as they were."""
        of_items = self.item_noise * rng.normal(size=self.items)
        rows = []
        for _ in range(self.seeds):
            of_seed = self.seed_noise * rng.normal()
            rows.append(self.effect + of_seed + of_items + self.rest * rng.normal(size=self.items))
        return np.stack(rows)
