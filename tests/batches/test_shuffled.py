from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oratory.batches import Order, order
from oratory.batches.shuffled import Shuffled


@given(st.integers(1, 3000), st.integers(0, 2**62))
def test_every_number_comes_once(size: int, seed: int) -> None:
    assert sorted(Shuffled(size, seed)[:].tolist()) == list(range(size))


@given(st.integers(1, 1000), st.integers(0, 99), st.integers(0, 1000), st.integers(0, 50))
def test_a_part_is_the_same_as_in_the_whole(size: int, seed: int, begin: int, length: int) -> None:
    whole = Shuffled(size, seed)
    np.testing.assert_array_equal(whole[begin : begin + length], whole[:][begin : begin + length])


def test_it_looks_random() -> None:
    """Neighbours are no nearer than in a random order, places and numbers are uncorrelated, and seeds matter."""
    size = 100_000
    found = Shuffled(size, 1)[:].astype(float)
    # The mean distance of two random numbers is a third of the range, here within five standard errors.
    distances = np.abs(np.diff(found)) / size
    assert abs(distances.mean() - 1 / 3) < 5 * np.sqrt(1 / 18 / size) * 2
    assert abs(np.corrcoef(np.arange(size), found)[0, 1]) < 5 / np.sqrt(size)
    low_bits = np.bincount(found.astype(int)[: size // 2] % 16)
    assert abs(low_bits - size / 32).max() < 6 * np.sqrt(size / 32)
    others = [Shuffled(size, seed)[:] for seed in (1, 2, 3)]
    assert all((one != other).mean() > 0.99 for one, other in pairwise(others))


@pytest.mark.parametrize("bucketed", [False, True])
@pytest.mark.parametrize("items", [1, 7, 999, 1000, 1001])
def test_a_large_order_has_every_item_once_an_epoch(
    items: int, bucketed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, "LARGE", 0)
    lengths = np.random.default_rng(0).integers(1, 40, items)
    made = Order(items, 4, seed=3, lengths=lengths if bucketed else None)
    epochs = [[made.of_step(epoch * made.steps + step) for step in range(made.steps)] for epoch in range(2)]
    for epoch in epochs:
        assert sorted(np.concatenate(epoch).tolist()) == list(range(items))
        assert all(len(batch) == 4 for batch in epoch[:-1])
    if items > 100:
        assert np.concatenate(epochs[0]).tolist() != np.concatenate(epochs[1]).tolist()
        if bucketed:
            spread = np.mean([np.ptp(lengths[batch]) for batch in epochs[0]])
            assert spread < 4
