"""Items that come in groups: how many groups are enough is what the benchmark's table says."""

import numpy as np
import pytest
from benchmarks.clustered import CELLS, Variances, rates, simulate_clustered, sizes_of

from oratory.statistics.clustered import ENOUGH, enough_groups, summed

TRIALS = 10_000


@pytest.mark.parametrize("seeds", [5, 10])
@pytest.mark.parametrize("mean", [25, 100])
@pytest.mark.parametrize("shape", ["equal", "uneven", "one half"])
def test_enough_groups_keep_the_promise(shape: str, mean: int, seeds: int) -> None:
    found = rates(seeds, sizes_of(shape, ENOUGH, mean), np.random.default_rng(seeds), TRIALS)
    assert max(found) <= 0.07


def test_items_of_a_group_are_not_independent() -> None:
    for mean, lowest in ((25, 0.12), (100, 0.3)):
        found = rates(5, sizes_of("equal", 10, mean), np.random.default_rng(0), 400, by_group=False)
        assert max(found) > lowest


def test_two_groups_do_not() -> None:
    assert max(rates(5, sizes_of("uneven", 2, 100), np.random.default_rng(0), TRIALS)) > 0.07


def test_both_ways_agree_where_groups_are_single_items() -> None:
    sizes = np.ones(40, np.int64)
    found = [
        simulate_clustered(
            Variances(0.01, 0.3, 1.0), 0.05, sizes, 5, TRIALS, np.random.default_rng(0), by_group=by_group
        )
        for by_group in (True, False)
    ]
    assert found[0] == found[1]


def test_rounds_do_every_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.clustered.CELLS", CELLS // 10_000)
    certain = Variances(0.0, 0.0, 1e-30)
    assert 0 <= simulate_clustered(certain, 0.0, np.full(5, 3), 3, 7, np.random.default_rng(0)) <= 1


def test_enough_groups() -> None:
    assert enough_groups(np.ones(ENOUGH))
    assert not enough_groups(np.ones(ENOUGH - 1))
    assert enough_groups(np.array([5.0, 1, 1, 1, 1, 1]))
    assert not enough_groups(np.array([5.1, 1, 1, 1, 1, 1]))
    assert not enough_groups(np.zeros(0))


def test_sums_of_groups() -> None:
    values, weights = summed(np.array([1.0, 2.0, 5.0]), np.array([1.0, 3.0, 2.0]), np.array([0, 0, 1]))
    assert (values.tolist(), weights.tolist()) == ([1.75, 5.0], [4.0, 2.0])
