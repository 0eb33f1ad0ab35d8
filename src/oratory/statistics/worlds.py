"""Worlds in which all variants are equally good: scores are drawn at random, to try the test on.

A world draws T trials x K variants x S seeds x N items, with new seeds and new items in each trial, and N weights.
The first variant is the baseline.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from oratory.statistics.crossed import Array, Strata

Scores = tuple[Array, Array]
"""Scores and the weights of items."""


@dataclass(frozen=True)
class DrawSize:
    """How much is drawn."""

    trials: int
    variants: int
    """With the baseline."""
    seeds: int


@dataclass(frozen=True)
class World(ABC):
    """Scores without a true difference."""

    name: str
    items: int

    @property
    def units(self) -> int:
        """Scores of a seed."""
        return self.items

    @property
    def strata(self) -> Strata | None:
        """Of the units, if they have any."""
        return None

    @abstractmethod
    def draw(self, size: DrawSize, rng: np.random.Generator) -> Scores:
        """The scores of some trials."""


@dataclass(frozen=True)
class Effects(World):
    """A score is the sum of an effect of its seed, one of its item, and a residual, each of them the variant's own."""

    seed: float
    """The variance that seeds give the mean, in multiples of what the residual gives it."""
    item: float
    """The same of items."""
    tail: float | None = None
    """Degrees of Student's t for all three, where they are not normal."""
    spread: float = 0.0
    """Of the logarithm of the weights. Heavy items are less noisy."""

    def draw(self, size: DrawSize, rng: np.random.Generator) -> Scores:
        noise = _noise(rng, self.tail)
        weights = np.exp(self.spread * ndtri(_middles(self.items)))
        scale = np.sqrt(weights.mean() / weights)
        lead = (size.trials, size.variants)
        of_seeds = np.sqrt(self.seed / self.items) * noise((*lead, size.seeds, 1))
        of_items = np.sqrt(self.item / size.seeds) * noise((*lead, 1, self.items))
        return of_seeds + scale * (of_items + noise((*lead, size.seeds, self.items))), weights


@dataclass(frozen=True)
class Speakers(Effects):
    """Addresses of some speakers: a variant is better on some of them, worse on others, and as good on the whole."""

    addresses: tuple[int, ...] = ()
    """Of each speaker."""

    @property
    def strata(self) -> Strata:
        return np.repeat(np.arange(len(self.addresses)), self.addresses)

    def draw(self, size: DrawSize, rng: np.random.Generator) -> Scores:
        scores, weights = super().draw(size, rng)
        own = rng.normal(size=(size.trials, size.variants, 1, len(self.addresses)))[..., self.strata]
        return scores + own - (own @ weights / weights.sum())[..., None], weights


@dataclass(frozen=True)
class RightOrWrong(World):
    """Scores of 0 and 1: the toss of a coin whose odds depend on the item, on the variant's item and on its seed."""

    def draw(self, size: DrawSize, rng: np.random.Generator) -> Scores:
        lead = (size.trials, size.variants)
        odds = rng.normal(0.5, 1.5, size=(size.trials, 1, 1, self.items))
        odds = odds + rng.normal(0, 0.7, size=(*lead, 1, self.items)) + rng.normal(0, 0.2, size=(*lead, size.seeds, 1))
        right = rng.random((*lead, size.seeds, self.items)) < 1 / (1 + np.exp(-odds))
        return right.astype(np.float64), np.ones(self.items)


@dataclass(frozen=True)
class Documents(World):
    """Documents of unequal length, with 20 sentences on the average; sentences of one document are alike."""

    summed: bool
    """Whether a document is one item, weighted by its length; else its sentences are, as if they were independent."""
    alike: float = 0.05
    """The share of a sentence's variance that its document has (the intraclass correlation)."""

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.round(2 - 18 * np.log1p(-_middles(self.items))).astype(np.int64)

    @property
    def units(self) -> int:
        return self.items if self.summed else int(self.lengths.sum())

    def draw(self, size: DrawSize, rng: np.random.Generator) -> Scores:
        lengths = self.lengths
        first = np.cumsum(lengths) - lengths
        lead = (size.trials, size.variants)
        own = rng.normal(scale=np.sqrt(self.alike), size=(*lead, 1, self.items))
        sentence = rng.normal(scale=np.sqrt(1 - self.alike), size=(*lead, 1, int(lengths.sum())))
        of_items = np.repeat(own, lengths, axis=-1) + sentence
        of_seeds = np.sqrt(1 / lengths.sum()) * rng.normal(size=(*lead, size.seeds, 1))
        scores = of_seeds + of_items + rng.normal(size=(*lead, size.seeds, of_items.shape[-1]))
        if not self.summed:
            return scores, np.ones(scores.shape[-1])
        return np.add.reduceat(scores, first, axis=-1) / lengths, lengths.astype(np.float64)


WORLDS: tuple[World, ...] = (
    Effects("neither matters", 200, 0, 0),
    Effects("both matter", 200, 4, 4),
    Effects("seeds matter most", 200, 15, 4),
    Effects("items matter most", 200, 4, 15),
    Effects("few items", 8, 4, 4),
    Effects("heavy tails", 50, 4, 4, tail=3),
    Effects("unequal weights", 12, 4, 4, spread=1.0),
    Speakers("speakers", 7, 4, 4, addresses=(3, 3, 1)),
    RightOrWrong("right or wrong", 100),
    Documents("documents", 12, summed=True),
    Documents("their sentences", 12, summed=False),
)
"""Weak to strong effects, and scores that are unlike the model of the test."""


def _middles(count: int) -> Array:
    """The middles of equal parts of the range from 0 to 1; lengths and weights are the quantiles there."""
    return (np.arange(count) + 0.5) / count


def _noise(rng: np.random.Generator, tail: float | None) -> Callable[[tuple[int, ...]], Array]:
    """Draws of variance one."""
    if tail is None:
        return lambda shape: rng.normal(size=shape)
    return lambda shape: rng.standard_t(tail, size=shape) * np.sqrt((tail - 2) / tail)
