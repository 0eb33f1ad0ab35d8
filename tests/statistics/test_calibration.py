"""Verdicts keep their promises where there is no difference and where there is one: simulated, and on real scores."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.false_positives import RESTLESS, by_address, correctness

from oratory.errors import InputError
from oratory.statistics import LEVEL, holm, paired
from oratory.statistics.calibration import LOOKED, SEEDS, VARIANTS, calibrate, same_variant, simulate
from oratory.statistics.crossed import Array, crossed
from oratory.statistics.rates import Calibration, Rate, Row
from oratory.statistics.worlds import WORLDS, Documents, DrawSize, Effects, World
from oratory.text import Corpus

BY_NAME = {world.name: world for world in WORLDS}
TRIALS = 2000


def row(world: World, seeds: int, trials: int = 1000) -> Row:
    return simulate(world, seeds, trials, np.random.default_rng(0))


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("name", ["both matter", "seeds matter most", "unequal weights", "right or wrong"])
def test_no_more_false_verdicts_than_promised(name: str, seeds: int) -> None:
    """By the crossed test alone, three seeds had up to 8 in 100, and more after Holm."""
    found = row(BY_NAME[name], seeds)
    for what in ("false, alone", f"false, of {VARIANTS}"):
        assert found.rates[what].count <= 70
        assert found.rates[what].outcome != "broken"


@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("name", ["both matter", "seeds matter most", "few items"])
def test_what_would_have_been_seen_is_seen_four_times_in_five(name: str, seeds: int) -> None:
    found = row(BY_NAME[name], seeds)
    for what in ("power, alone", f"power, of {VARIANTS}"):
        assert found.rates[what].outcome != "broken"


def test_few_items_lend_no_certainty_either() -> None:
    """Ten seeds and five items of very unequal weight: 9 in 100 without the test over items alone."""
    found = row(Documents("unequal", 5, summed=True, alike=0.3), 10)
    assert found.rates["false, alone"].outcome != "broken"


def test_either_naive_test_fails_where_both_samples_matter() -> None:
    found = row(BY_NAME["both matter"], 5)
    assert min(found.rates[name].interval[0] for name in ("seeds only", "items only")) > LEVEL


def test_sentences_of_one_document_are_not_independent() -> None:
    summed, sentences = (row(Documents("documents", 12, summed=summed), 5) for summed in (True, False))
    assert summed.outcome != "broken"
    assert sentences.outcome == "broken"
    assert sentences.rates["false, alone"].interval[0] > 0.1
    assert (summed.items, sentences.items) == (12, 232)


def test_it_is_the_pipeline_of_a_comparison() -> None:
    """The rates count what `paired` and `holm` would say of each trial."""
    world, rng, trials = Effects("few", 6, 4, 4, spread=0.5), np.random.default_rng(3), 300
    found = simulate(world, 3, trials, np.random.default_rng(3))
    scores, weights = world.draw(DrawSize(trials, VARIANTS + 1, 3), rng)
    p = [[paired(variant, trial[0], weights).p for variant in trial[1:]] for trial in scores]
    assert found.rates["false, alone"].count == sum(each[0] is not None and each[0] < LEVEL for each in p)
    together = [any(value is not None and value < LEVEL for value in holm(each)) for each in p]
    assert found.rates[f"false, of {VARIANTS}"].count == sum(together)


def test_looking_at_each_seed_tries_again_and_again() -> None:
    """It counts a verdict after three seeds, after four, or after any more of them."""
    world, rng, trials = Effects("few", 6, 4, 4), np.random.default_rng(3), 200
    found = simulate(world, 5, trials, np.random.default_rng(3))
    scores, weights = world.draw(DrawSize(trials, VARIANTS + 1, 5), rng)
    looks = [
        [paired(trial[1, :seeds], trial[0, :seeds], weights).p for seeds in (3, 4, 5)]
        for trial in scores  # Only the first variant.
    ]
    ever = sum(any(p is not None and p < LEVEL for p in each) for each in looks)
    assert found.rates[LOOKED].count == ever > found.rates["false, alone"].count
    three = simulate(world, 3, trials, rng).rates
    assert three[LOOKED].count == three["false, alone"].count


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.name)
def test_worlds_have_no_difference(world: World) -> None:
    scores, weights = world.draw(DrawSize(400, 3, 4), np.random.default_rng(0))
    assert scores.shape == (400, 3, 4, world.units)
    assert weights.shape == (world.units,)
    means = (scores @ weights / weights.sum()).mean(axis=-1)
    difference = means[:, 1] - means[:, 0]
    assert abs(difference.mean()) < 4 * difference.std() / 20


def test_effects_are_as_large_as_they_say() -> None:
    world = Effects("both", 50, 4, 15, tail=5)
    scores, weights = world.draw(DrawSize(3000, 2, 5), np.random.default_rng(0))
    found = crossed(scores[:, 0], weights)
    residual = found.residual.mean()
    assert found.by_seed.mean() / residual == pytest.approx(5, rel=0.1)
    assert found.by_item.mean() / residual == pytest.approx(16, rel=0.1)


def test_rates_beside_promises() -> None:
    assert Rate(50, 1000, at_most=0.05).outcome == "not refuted"
    assert Rate(20, 1000, at_most=0.05).outcome == "kept"
    assert Rate(50, 1000, at_most=0.05).interval == pytest.approx((0.0373, 0.0654), abs=1e-4)
    assert Rate(80, 1000, at_most=0.05).outcome == "broken"
    assert str(Rate(80, 1000, at_most=0.05)) == "8.0 (6.4–9.9) *"
    assert Rate(780, 1000, at_least=0.8).outcome == "not refuted"
    assert Rate(700, 1000, at_least=0.8).outcome == "broken"
    assert Rate(900, 1000, at_least=0.8).outcome == "kept"
    assert Rate(999, 1000).outcome is None
    assert Rate(1, 3, at_most=0.05).outcome == "not refuted"  # One of three is no proof.
    assert Rate(0, 0, at_least=0.8).to_dict() == {
        "rate": None,
        "interval": [0.0, 1.0],
        "trials": 0,
        "at_least": 0.8,
        "promise": "not refuted",
    }


def test_the_table_marks_what_is_outside() -> None:
    kept = Row("kept", 5, 20, {"false": Rate(5, 100, at_most=0.05), "other": Rate(9, 100)})
    found = Calibration("Title", (kept, replace(kept, rates={"false": Rate(50, 100, at_most=0.05)})), 0, "Note.")
    [table] = found.tables()
    assert table.columns == ("scores", "seeds", "items", "false (≤ 5.0)", "other", "promise")
    assert [cells[-1] for cells in table.rows] == ["not refuted", "broken"]
    assert table.rows[1][3:5] == ("50.0 (39.8–60.2) *", "–")
    assert found.to_dict()["rows"][1]["promise"] == "broken"


def test_repeats_with_its_seed() -> None:
    world = BY_NAME["few items"]
    first, again, other = (simulate(world, 3, 200, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_too_few_trials_say_nothing() -> None:
    with pytest.raises(InputError, match="--trials 99: at least 100"):
        calibrate(99)


@pytest.fixture(scope="module")
def resampled(sotu: Corpus) -> Array:
    return correctness(sotu, resample=True)


@pytest.mark.parametrize("seeds", [3, 5, 10])
@pytest.mark.parametrize("scores", ["resampled", "restless", "calm"])
def test_real_scores_of_one_variant(scores: str, seeds: int, sotu: Corpus, resampled: Array) -> None:
    options = {"restless": RESTLESS, "calm": {}}
    matrix = resampled if scores == "resampled" else correctness(sotu, **options[scores])
    assert set(np.unique(matrix)) == {0.0, 1.0}
    means, weights, strata = by_address(sotu, matrix)
    assert (len(weights), weights.sum()) == (7, matrix.shape[1])
    assert (means @ weights / weights.sum()).tolist() == pytest.approx(matrix.mean(axis=1))
    found = same_variant(scores, means, weights, seeds, TRIALS, np.random.default_rng(seeds), strata)
    assert found.rates["false, random splits"].count <= 0.065 * TRIALS
    assert found.rates["false, separate sets"].trials == 60 // (2 * seeds)
    assert found.outcome != "broken"


def test_real_scores_that_cannot_be_split(resampled: Array) -> None:
    weights = np.ones(resampled.shape[1])
    with pytest.raises(InputError, match="Two sets of 40 seeds need 80 runs of the variant; there are 60"):
        same_variant("many", resampled, weights, 40)
    with pytest.raises(InputError, match="--seeds 2: fewer than 3 seeds"):
        same_variant("few", resampled, weights, 2)
