"""The order of items: a function of the seed and the epoch, and of nothing that came before."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from oratory.batches.shuffled import Shuffled
from oratory.seeds import derive

LARGE = 1 << 24
"""Items beyond which their order is worked out batch by batch, so that it takes no memory."""
POOL = 50
"""Batches among which items are sorted by length, where they are bucketed."""


@dataclass(frozen=True, eq=False)
class Order:
    """Every item once an epoch, in batches; the last batch of an epoch is smaller where they do not divide."""

    items: int
    batch: int
    seed: int
    lengths: NDArray[np.int64] | None = None
    """Given if items of similar length are to share a batch (length bucketing)."""

    @property
    def steps(self) -> int:
        """Batches of an epoch."""
        return -(-self.items // self.batch)

    def of_step(self, step: int) -> NDArray[np.int64]:
        """The items of a step, counted from 0 over all epochs."""
        epoch, place = divmod(step, self.steps)
        if self.items > LARGE:
            return _of_large(self, epoch, place)
        return _of_epoch(self, epoch)[place * self.batch : (place + 1) * self.batch]


def _of_large(order: Order, epoch: int, place: int) -> NDArray[np.int64]:
    """The items of one batch, where a list of all would be too long to keep."""
    seed = derive(order.seed, f"large order {epoch}")
    shuffled = Shuffled(order.items, seed)
    full = order.items // order.batch
    if order.lengths is None or place == full:
        return shuffled[place * order.batch : min((place + 1) * order.batch, order.items)]
    # As below: batches of a pool are sorted by length, and then change places with all others.
    batch = int(Shuffled(full, seed + 1)[place : place + 1][0])
    pool = batch // POOL
    some = shuffled[pool * POOL * order.batch : min((pool + 1) * POOL, full) * order.batch]
    begin = (batch - pool * POOL) * order.batch
    return some[np.argsort(order.lengths[some], kind="stable")][begin : begin + order.batch]


@lru_cache(maxsize=2)
def _of_epoch(order: Order, epoch: int) -> NDArray[np.int64]:
    generator = np.random.default_rng(derive(order.seed, f"order {epoch}"))
    shuffled: NDArray[np.int64] = generator.permutation(order.items)
    if order.lengths is None:
        return shuffled
    # Sorted within pools, so that an epoch stays random; then whole batches change places, the smaller one stays last.
    pool = POOL * order.batch
    parts = [shuffled[start : start + pool] for start in range(0, order.items, pool)]
    ordered = np.concatenate([part[np.argsort(order.lengths[part], kind="stable")] for part in parts])
    full = order.items // order.batch
    batches = ordered[: full * order.batch].reshape(full, order.batch)
    return np.concatenate([generator.permutation(batches).reshape(-1), ordered[full * order.batch :]])
