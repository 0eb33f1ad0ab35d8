"""The test keeps its promise of 5% where there is no difference: on real 0/1 scores, and with new items each time."""

import numpy as np
import pytest
from benchmarks.false_positives import RESTLESS, correctness

from oratory.errors import InputError
from oratory.statistics.calibration import Effects, fit_effects, simulate_crossed, simulate_false_positives
from oratory.statistics.crossed import Array, crossed
from oratory.text import Corpus

TRIALS = 3000


@pytest.fixture(scope="module")
def resampled(sotu: Corpus) -> Array:
    return correctness(sotu, resample=True)


@pytest.fixture(scope="module")
def restless(sotu: Corpus) -> Array:
    return correctness(sotu, **RESTLESS)


@pytest.fixture(scope="module")
def two_variants(sotu: Corpus, resampled: Array) -> Effects:
    """The variances of a real difference: words and pairs of words against words."""
    return fit_effects(correctness(sotu, resample=True, words=(1, 2)) - resampled)


@pytest.mark.parametrize("seeds", [5, 10])
@pytest.mark.parametrize("scores", ["resampled", "restless"])
def test_real_scores_without_a_difference(scores: str, seeds: int, request: pytest.FixtureRequest) -> None:
    matrix: Array = request.getfixturevalue(scores)
    assert set(np.unique(matrix)) == {0.0, 1.0}
    found = simulate_false_positives(matrix, seeds, TRIALS, np.random.default_rng(seeds))
    assert 0.03 <= found.crossed <= 0.07
    # Pooling the seeds takes their luck for a difference.
    assert found.items_only > (0.07 if scores == "resampled" else 0.25)


def test_the_reference_speeches(speeches: Corpus) -> None:
    for matrix in (correctness(speeches, resample=True), correctness(speeches, **RESTLESS)):
        found = simulate_false_positives(matrix, 10, TRIALS, np.random.default_rng(0))
        assert 0.03 <= found.crossed <= 0.07
        assert abs(found.crossed - 0.05) < abs(found.items_only - 0.05)


def test_where_seeds_hardly_matter_it_is_careful(sotu: Corpus) -> None:
    """The larger of two parts that are both no more than noise is a little too large."""
    found = simulate_false_positives(correctness(sotu), 5, TRIALS, np.random.default_rng(0))
    assert 0.02 <= found.crossed <= 0.05


@pytest.mark.parametrize("seeds", [5, 10])
def test_new_seeds_and_new_items(two_variants: Effects, seeds: int) -> None:
    found = simulate_crossed(two_variants, seeds, 500, TRIALS, np.random.default_rng(seeds))
    assert 0.03 <= found.crossed <= 0.07
    # Seeds only takes the luck of the items for a difference.
    assert found.seeds_only > 0.1


@pytest.mark.parametrize("seeds", [5, 10])
def test_either_naive_test_fails_where_both_samples_matter(seeds: int) -> None:
    found = simulate_crossed(Effects(0.01, 0.3, 1.0), seeds, 200, TRIALS, np.random.default_rng(seeds))
    assert 0.03 <= found.crossed <= 0.07
    assert min(found.seeds_only, found.items_only) > 0.09


def test_new_items_with_0_1_scores() -> None:
    """Two variants whose ease on each item is drawn alike: right or wrong by the toss of a coin for each seed."""
    rng = np.random.default_rng(0)
    seeds, items, weights, seen = 5, 200, np.ones(200), []
    for _ in range(TRIALS):
        ease = rng.normal(0.5, 1.5, size=(1, 1, items)) + rng.normal(0, 0.7, size=(2, 1, items))
        chance = 1 / (1 + np.exp(-(ease + rng.normal(0, 0.2, size=(2, seeds, 1)))))
        variant, baseline = (rng.random((2, seeds, items)) < chance).astype(np.float64)
        seen.append(crossed(variant - baseline, weights).p < 0.05)
    assert 0.03 <= np.mean(seen) <= 0.07


def test_two_seeds_are_too_few(restless: Array) -> None:
    """A limit of the method that the docs state: a spread of two seeds comes out near zero too often."""
    found = simulate_false_positives(restless, 2, TRIALS, np.random.default_rng(0))
    assert 0.07 < found.crossed < 0.14 < found.items_only


def test_effects_are_found_again() -> None:
    """Few of one kind leave much residual in the means of the other, which does not count as an effect."""
    rng = np.random.default_rng(0)
    for seeds, items in ((4, 4000), (4000, 4)):
        matrix = rng.normal(0, 2, (seeds, 1)) + rng.normal(0, 2, (1, items)) + rng.normal(0, 3, (seeds, items))
        found = fit_effects(matrix)
        assert found.residual == pytest.approx(9, rel=0.05)
        assert (found.items if items > seeds else found.seeds) == pytest.approx(4, rel=0.1)
    nothing = fit_effects(np.array([[1.0, -1.0], [-1.0, 1.0]]))
    assert (nothing.seeds, nothing.items) == (0, 0)


def test_repeats_with_its_generator(resampled: Array) -> None:
    first, again, other = (simulate_false_positives(resampled, 5, 200, np.random.default_rng(n)) for n in (1, 1, 2))
    assert first == again != other


def test_too_few_runs_to_split(resampled: Array) -> None:
    with pytest.raises(InputError, match="Two sets of 40 seeds need 80 runs of the variant; there are 60"):
        simulate_false_positives(resampled, 40, 10, np.random.default_rng(0))
