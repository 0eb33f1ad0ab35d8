"""One experiment by its number of seeds."""

import numpy as np
import pytest

from oratory.statistics import paired, verdict
from oratory.statistics.crossed import crossed
from oratory.statistics.power import detectable
from oratory.statistics.seed_curve import by_seeds, planned
from oratory.statistics.simulated import Simulated


def test_every_number_of_seeds_is_judged_as_a_comparison_of_its_own() -> None:
    rng = np.random.default_rng(0)
    variant, baseline = rng.normal(0.4, 1, (6, 40)), rng.normal(0, 1, (6, 40))
    baseline[2, 3] = np.nan  # This seed is left out.
    whole = [0, 1, 3, 4, 5]
    found = by_seeds(variant, baseline, better="lower")
    assert [each.seeds for each in found] == [1, 2, 3, 4, 5]
    for each in found:
        rows = whole[: each.seeds]
        alone = paired(variant[rows], baseline[rows], better="lower")
        assert each.difference == alone
        assert each.verdict == verdict(alone)
    assert [each.verdict for each in found[:2]] == ["no verdict", "no verdict"]


def test_what_is_planned_with_as_many_seeds_is_what_would_have_been_seen() -> None:
    rng = np.random.default_rng(1)
    difference = rng.normal(size=(5, 1)) + rng.normal(size=(1, 60)) + rng.normal(size=(5, 60))
    zero = np.zeros_like(difference)
    found = {each.seeds: each.detectable for each in planned(difference, zero, range(3, 31))}
    assert found[5] == pytest.approx(paired(difference, zero).detectable)
    values = list(found.values())
    assert values == sorted(values, reverse=True)
    # What items give the mean stays, however many seeds there are.
    parts = crossed(difference, np.ones(60))
    assert found[30] > 2.8 * np.sqrt(parts.by_item - parts.residual)
    assert planned(difference[:1], zero[:1], [3, 4]) == []


def test_planned_is_what_more_seeds_then_show() -> None:
    """From five seeds of a world that is known, what thirty seeds show on the average."""
    world = Simulated(0.0, 1.0, 4.0, 4.0, 30, 100)
    ahead, later = [], []
    for draw in range(40):
        scores = world.draw(np.random.default_rng(draw))
        zero = np.zeros_like(scores)
        ahead.append(planned(scores[:10], zero[:10], [30])[0].detectable)
        later.append(detectable(crossed(scores, np.ones(100))))
    assert np.mean(ahead) == pytest.approx(np.mean(later), rel=0.1)


def test_a_simulated_comparison_has_the_effects_that_were_asked_for() -> None:
    world = Simulated(2.0, 1.5, 3.0, 2.0, 400, 300)
    scores = world.draw(np.random.default_rng(2))
    assert scores.mean() == pytest.approx(2.0, abs=0.5)
    assert scores.mean(axis=1).std() == pytest.approx(1.5, rel=0.1)
    assert scores.mean(axis=0).std() == pytest.approx(3.0, rel=0.1)
    # One more seed is one more row.
    fewer = Simulated(2.0, 1.5, 3.0, 2.0, 3, 300).draw(np.random.default_rng(2))
    np.testing.assert_array_equal(fewer, scores[:3])
