"""Differences, intervals and verdicts against sums by hand, scipy's t tests, brute force and simulation."""

import dataclasses
import itertools
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from oratory.errors import InputError
from oratory.statistics import Difference, detectable, holm, paired, ratio, single, verdict, verdict_text
from oratory.statistics.crossed import Array, Crossed, crossed

shapes = st.tuples(st.integers(3, 6), st.integers(2, 8))
scores = st.integers(-1000, 1000).map(lambda value: value / 64)
pairs = shapes.flatmap(lambda shape: st.tuples(arrays(np.float64, shape, elements=scores), st.just(shape))).flatmap(
    lambda drawn: st.tuples(st.just(drawn[0]), arrays(np.float64, drawn[1], elements=scores))
)
randoms = st.integers(0, 1000).map(np.random.default_rng)


def by_hand(difference: Array) -> tuple[float, float]:
    """The standard error and its degrees of freedom, as the formula is written, sum by sum."""
    seeds, items = difference.shape
    grand = float(difference.mean())
    rows = [float(row.mean()) for row in difference]
    columns = [float(column.mean()) for column in difference.T]
    by_seed = sum((row - grand) ** 2 for row in rows) / (seeds - 1) / seeds
    by_item = sum((column - grand) ** 2 for column in columns) / (items - 1) / items
    square = sum(
        (float(difference[s, i]) - rows[s] - columns[i] + grand) ** 2 for s in range(seeds) for i in range(items)
    )
    freedom = (seeds - 1) * (items - 1)
    residual = square / freedom / (seeds * items)
    variance = by_seed + by_item - residual
    if variance < max(by_seed, by_item):
        return math.sqrt(max(by_seed, by_item)), seeds - 1 if by_seed > by_item else items - 1
    spread = by_seed**2 / (seeds - 1) + by_item**2 / (items - 1) + residual**2 / freedom
    return math.sqrt(variance), variance**2 / spread


def reach(difference: Array) -> float:
    """How far the widest interval goes: over both samples, over seeds alone, over items alone."""
    error, degrees = by_hand(difference)
    both = stats.t.isf(0.025, degrees) * error
    over = [difference.mean(axis=1), difference.mean(axis=0)]
    alone = [stats.t.isf(0.025, len(means) - 1) * stats.sem(means) for means in over]
    return float(max(both, *alone))


def drawn(rng: np.random.Generator, seeds: int, items: int, of_seeds: float, of_items: float, rest: float) -> Array:
    """A crossed model with these standard deviations."""
    rows, columns = rng.normal(scale=of_seeds, size=(seeds, 1)), rng.normal(scale=of_items, size=(1, items))
    return rows + columns + rng.normal(scale=rest, size=(seeds, items))


def close(found: Difference, expected: Difference, **changes: Any) -> None:
    """Equal facts up to rounding, but for the changes."""
    expected = dataclasses.replace(expected, **changes)
    for name, value in vars(found).items():
        other = getattr(expected, name)
        plain = other is None or isinstance(other, str)
        same = value == other if plain else value == pytest.approx(other, rel=1e-6, abs=1e-9)
        assert same, f"{name}: {value} is not {other}"


@pytest.mark.parametrize("spread", [(1, 1, 1), (3, 0, 1), (0, 3, 1), (0, 0, 1), (0.3, 0.3, 1)])
@pytest.mark.parametrize(("seeds", "items"), [(3, 2), (5, 7), (10, 100)])
def test_equals_the_formula(spread: tuple[float, float, float], seeds: int, items: int) -> None:
    for seed in range(10):
        difference = drawn(np.random.default_rng(seed), seeds, items, *spread)
        found = paired(difference, np.zeros_like(difference))
        error, degrees = by_hand(difference)
        assert found.standard_error == pytest.approx(error)
        assert found.degrees == pytest.approx(degrees)
        both = 2 * stats.t.sf(abs(difference.mean()) / error, degrees)
        alone = [stats.ttest_1samp(difference.mean(axis=axis), 0).pvalue for axis in (0, 1)]
        assert found.p == pytest.approx(max(both, *alone))
        assert found.interval == pytest.approx((found.mean - reach(difference), found.mean + reach(difference)))
        assert single(difference).standard_error == pytest.approx(error)
        assert single(difference).interval == pytest.approx(found.interval)


def test_is_the_t_test_over_seeds_when_items_do_not_differ() -> None:
    rng = np.random.default_rng(0)
    baseline = rng.normal(size=(6, 40))
    found = paired(baseline + rng.normal(size=(6, 1)), baseline)
    expected = stats.ttest_1samp(found.seed_differences, 0)
    assert found.p == pytest.approx(expected.pvalue)
    assert found.degrees == pytest.approx(5)
    assert found.interval == pytest.approx(tuple(expected.confidence_interval()))


def test_is_never_surer_than_the_seeds_alone() -> None:
    """Three seeds that hardly differ do not borrow the degrees of freedom of 131 items."""
    rng = np.random.default_rng(0)
    difference = rng.normal(0.5, 1, size=(1, 131)) + np.array([[-0.02], [0.0], [0.02]])
    found = paired(difference, np.zeros_like(difference))
    assert crossed(difference, np.ones(131)).degrees > 100
    assert found.p is not None
    assert found.p >= stats.ttest_1samp(found.seed_differences, 0).pvalue > 1e-4


def test_is_never_surer_than_the_items_alone() -> None:
    rng = np.random.default_rng(0)
    difference = np.array([[-0.01, 0.0, 0.01]]) + rng.normal(0.5, 0.3, size=(40, 1)) + rng.normal(0, 0.5, (40, 3))
    found = paired(difference, np.zeros_like(difference))
    assert found.p == pytest.approx(stats.ttest_1samp(difference.mean(axis=0), 0).pvalue)
    assert found.standard_error is not None
    assert found.degrees is not None
    assert found.p > 1.5 * 2 * stats.t.sf(found.mean / found.standard_error, found.degrees)


def test_one_item_is_a_t_test_over_seeds() -> None:
    variant, baseline = np.random.default_rng(0).normal(size=(2, 5, 1))
    expected = stats.ttest_rel(variant[:, 0], baseline[:, 0])
    assert paired(variant, baseline).p == pytest.approx(expected.pvalue)
    assert paired(variant, baseline, weights=[7]).p == pytest.approx(expected.pvalue)


@settings(deadline=None, max_examples=50)
@given(pairs)
def test_swapping_turns_every_sign(drawn_pair: tuple[Array, Array]) -> None:
    variant, baseline = drawn_pair
    found, turned = paired(variant, baseline), paired(baseline, variant)
    close(
        turned,
        found,
        mean=-found.mean,
        interval=found.interval and (-found.interval[1], -found.interval[0]),
        seed_differences=tuple(-value for value in found.seed_differences),
        wins=found.seeds - found.ties - found.wins,
    )
    assert paired(variant, baseline, better="lower").wins == turned.wins


@settings(deadline=None, max_examples=50)
@given(pairs, randoms)
def test_order_changes_nothing(drawn_pair: tuple[Array, Array], rng: np.random.Generator) -> None:
    variant, baseline = drawn_pair
    seeds, items = (rng.permutation(size) for size in variant.shape)
    weights = rng.integers(1, 50, size=(variant.shape[1],))
    found = paired(variant, baseline, weights)
    moved = paired(variant[seeds][:, items], baseline[seeds][:, items], weights[items])
    close(moved, found, seed_differences=tuple(found.seed_differences[seed] for seed in seeds))


def _scaled(found: Difference, scale: float) -> dict[str, Any]:
    names = ("mean", "interval", "standard_error", "seed_differences", "detectable")
    given = {name: getattr(found, name) for name in names if getattr(found, name) is not None}
    return {name: tuple(scale * np.array(v)) if isinstance(v, tuple) else scale * v for name, v in given.items()}


@settings(deadline=None, max_examples=50)
@given(pairs, st.integers(1, 100), st.sampled_from([0.25, 2.0, 64.0]))
def test_shift_and_scale(drawn_pair: tuple[Array, Array], shift: float, scale: float) -> None:
    variant, baseline = drawn_pair
    found = paired(variant, baseline)
    moved = paired(variant + shift, baseline)
    assert moved.mean == pytest.approx(found.mean + shift)
    assert moved.standard_error == pytest.approx(found.standard_error, abs=1e-9)
    scaled = paired(variant * scale, baseline * scale)
    close(scaled, found, **_scaled(found, scale))
    # What both sides share cancels, however much it varies.
    close(paired(variant + baseline, baseline + baseline), found)


@settings(deadline=None, max_examples=50)
@given(pairs)
def test_the_interval_and_p_agree(drawn_pair: tuple[Array, Array]) -> None:
    found = paired(*drawn_pair)
    assert 0 <= found.wins + found.ties <= found.seeds
    assert (found.p is None) == (found.interval is None) == (found.detectable is None) == (found.undecided is not None)
    if found.p is not None and found.interval is not None:
        low, high = found.interval
        if abs(found.p - 0.05) > 1e-6:
            assert (found.p < 0.05) == (low > 0 or high < 0)
        assert low <= found.mean <= high


@pytest.mark.parametrize("weights", [np.ones(30), np.tile([1.0, 4.0, 16.0], 10)], ids=["even", "uneven"])
def test_the_variance_is_that_of_repeated_experiments(weights: Array) -> None:
    """New seeds, new items: the mean varies by as much as a single experiment says; heavy items are less noisy."""
    rng = np.random.default_rng(0)
    trials, seeds, items = 20_000, 5, 30
    noise = np.sqrt(weights.mean() / weights)
    columns = 0.5 * noise * rng.normal(size=(trials, 1, items))
    matrix = 0.2 * rng.normal(size=(trials, seeds, 1)) + columns + noise * rng.normal(size=(trials, seeds, items))
    found = crossed(matrix, weights)
    said = (found.by_seed + found.by_item - found.residual).mean()
    assert said == pytest.approx(found.mean.var(), rel=0.04)
    assert found.by_item.mean() > 1.5 * found.residual.mean()
    # The spread of the item part is that of a chi-square on its degrees of freedom.
    spread = 2 * found.by_item.mean() ** 2 / found.by_item.var()
    assert found.item_degrees == pytest.approx(spread, rel=0.06)


def test_weights_are_tokens() -> None:
    rng = np.random.default_rng(0)
    nats = rng.gamma(2, 2, size=(2, 4, 1000))
    starts = np.arange(0, 1000, 64)
    weights = np.diff(starts, append=1000).astype(float)
    variant, baseline = np.add.reduceat(nats, starts, axis=-1) / weights
    found = paired(variant, baseline, weights, better="lower")
    assert found.mean == pytest.approx((nats[0] - nats[1]).mean())
    assert found.seed_differences == pytest.approx((nats[0] - nats[1]).mean(axis=1))
    close(paired(variant, baseline, 3 * weights, better="lower"), found)
    assert found.mean != pytest.approx(paired(variant, baseline).mean, rel=1e-6)


def test_equal_weights_are_no_weights() -> None:
    variant, baseline = np.random.default_rng(0).normal(size=(2, 5, 12))
    close(paired(variant, baseline, np.full(12, 7.0)), paired(variant, baseline))


def test_an_item_that_is_nearly_all_counts_as_one() -> None:
    matrix = np.random.default_rng(0).normal(size=(5, 12))
    assert crossed(matrix, np.ones(12)).item_degrees == pytest.approx(11)
    assert 1 <= crossed(matrix, np.array([1e6] + [1.0] * 11)).item_degrees < 1.01


def test_a_seed_that_failed_is_left_out_on_both_sides() -> None:
    variant, baseline = np.random.default_rng(0).normal(size=(2, 6, 9))
    expected = paired(variant[[0, 2, 3, 5]], baseline[[0, 2, 3, 5]])
    variant[1], baseline[4, 3] = np.nan, np.nan
    close(paired(variant, baseline), expected, left_out=2)
    close_single = single(variant)
    assert (close_single.seeds, close_single.left_out) == (5, 1)
    assert close_single.mean == pytest.approx(np.nanmean(variant))


def test_scores_that_are_not_finite_leave_their_seed_out() -> None:
    variant, baseline = np.random.default_rng(0).normal(size=(2, 5, 9))
    expected = paired(variant[1:], baseline[1:])
    variant[0, 4] = np.inf
    close(paired(variant, baseline), expected, left_out=1)


@pytest.mark.parametrize(
    ("seeds", "failed", "why"),
    [
        (1, 0, "one seed; at least three are needed"),
        (2, 0, "two seeds; at least three are needed"),
        (1, 4, "one seed of 5; at least three are needed"),
        (2, 3, "two seeds of 5; at least three are needed"),
    ],
)
def test_few_seeds_give_a_difference_and_no_verdict(seeds: int, failed: int, why: str) -> None:
    rng = np.random.default_rng(0)
    variant = np.vstack([rng.normal(5, 0.1, size=(seeds, 50)), np.full((failed, 50), np.nan)])
    found = paired(variant, np.zeros((seeds + failed, 50)))
    assert found.mean == pytest.approx(5, rel=0.02)
    assert (found.wins, found.seeds, found.left_out) == (seeds, seeds, failed)
    assert (found.p, found.interval, found.detectable) == (None, None, None)
    assert verdict(found) == verdict(found, 0.0001) == "no verdict"
    assert verdict_text(found) == f"no verdict: {why}"
    assert ratio(found).interval is None
    assert (single(variant).interval is None) == (seeds == 1)


def test_the_same_scores_are_no_difference() -> None:
    matrix = np.random.default_rng(0).normal(size=(5, 20))
    for other in (matrix, matrix * (1 + 1e-15)):
        found = paired(matrix, other)
        assert (found.mean, found.p, found.ties, found.wins, found.interval) == (0, None, 5, 0, None)
        assert verdict_text(found) == "no verdict: every score is the same as the baseline's"


@pytest.mark.parametrize("shape", [(2, 1), (3, 1), (3, 20), (10, 400)])
def test_no_variance_is_no_certainty(shape: tuple[int, int]) -> None:
    found = paired(np.ones(shape), np.zeros(shape))
    assert (found.mean, found.p, found.interval) == (1, None, None)
    assert verdict(found) == "no verdict"
    assert single(np.ones(shape)).interval is None


@pytest.mark.parametrize("weights", [None, np.arange(1, 21)])
def test_seeds_that_agree_exactly_give_no_verdict(weights: Any) -> None:
    """Every seed has another item right, and the same number of them."""
    variant = np.zeros((4, 20))
    for seed in range(4):
        variant[seed, [seed, 19 - seed]] = 0.1  # Of which the means are not exact in floating point.
    found = paired(variant, np.zeros((4, 20)), weights)
    assert found.wins == 4
    assert "exactly the same with all 4 seeds" in verdict_text(found)


def test_seeds_that_are_even_are_ties() -> None:
    """Shares of a point might not cancel to zero; counts do."""
    baseline = np.tile([1.0, 0, 1, 0, 1, 0], (3, 1))
    found = paired(np.array([[0, 1, 0, 1, 1, 0], [1, 1, 1, 0, 1, 0], [1, 0, 1, 0, 0, 1]]), baseline)
    assert (found.wins, found.ties) == (1, 2)


def test_rounding_does_not_decide_where_parts_are_equal() -> None:
    """One seed differs on one item: seeds, items and residual give the variance the same."""
    for seeds, items in itertools.product((3, 5, 6), (5, 10)):
        for seed, item in itertools.product(range(seeds), range(items)):
            variant = np.zeros((seeds, items))
            variant[seed, item] = 0.1
            assert single(variant).degrees == seeds - 1


@pytest.mark.parametrize(
    ("shift", "better", "word"),
    [(2, "higher", "better"), (2, "lower", "worse"), (-2, "higher", "worse"), (-2, "lower", "better")],
)
def test_verdicts(shift: float, better: Any, word: str) -> None:
    variant, baseline = np.random.default_rng(0).normal(size=(2, 5, 50))
    found = paired(variant + shift, baseline, better=better)
    assert verdict(found) == verdict_text(found) == word
    assert found.wins == (5 if word == "better" else 0)
    # The p that counts is the one after Holm.
    assert verdict(found, 0.0501) == "no difference shown"
    assert verdict_text(found, 0.3, lambda value: f"{100 * value:.0f} points").endswith(" points)")


def test_what_would_have_been_seen() -> None:
    rng = np.random.default_rng(0)
    found = paired(drawn(rng, 5, 50, 1, 1, 1), np.zeros((5, 50)))
    assert found.detectable is not None
    assert verdict_text(found) == f"no difference shown (would have seen {found.detectable:.2g})"
    several = paired(drawn(np.random.default_rng(0), 5, 50, 1, 1, 1), np.zeros((5, 50)), comparisons=4)
    assert several.detectable is not None
    assert several.detectable > found.detectable


@pytest.mark.parametrize("level", [0.05, 0.0125])
@pytest.mark.parametrize("seeds", [3, 5, 10])
def test_detectable_is_seen_four_times_in_five(seeds: int, level: float) -> None:
    """On the average over what an experiment finds its noise to be, as X is all that its reader has."""
    rng, trials = np.random.default_rng(0), 200
    nothing = np.zeros(trials)
    spread = stats.chi2.ppf((np.arange(trials) + 0.5) / trials, seeds - 1) / (seeds - 1)
    said = [detectable(Crossed(nothing[0], each, nothing[0], nothing[0], seeds - 1, 1), level) for each in spread]
    samples = rng.normal(size=(trials, 500, seeds)) * np.sqrt(seeds) + np.array(said)[:, None, None]
    t = samples.mean(axis=-1) / stats.sem(samples, axis=-1)
    assert (t > stats.t.isf(level / 2, seeds - 1)).mean() == pytest.approx(0.8, abs=0.015)


def test_detectable_with_many_seeds_is_the_textbook_s() -> None:
    """With the noise as good as known: the quantiles of the level and of the power."""
    one, none = np.array(1.0), np.array(0.0)
    found = detectable(Crossed(none, one, none, none, 1e5, 1))
    assert found == pytest.approx(stats.norm.isf(0.025) + stats.norm.ppf(0.8), rel=0.01)
    assert detectable(Crossed(none, 4 * one, none, none, 1e5, 1)) == pytest.approx(2 * found)


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ([0.01, 0.02, 0.03], [0.03, 0.04, 0.04]),
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.9, 0.8], [1.0, 1.0]),
        ([0.04], [0.04]),
        ([], []),
        ([None, 0.03, 0.01], [None, 0.03, 0.02]),
    ],
)
def test_holm(p: list[float | None], expected: list[float | None]) -> None:
    found = holm(p)
    assert [value and round(value, 12) for value in found] == expected


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6))
def test_holm_is_the_closure_of_bonferroni(p: list[float]) -> None:
    """A hypothesis falls when every set that holds it falls to Bonferroni."""
    places = range(len(p))
    sets = [chosen for size in places for chosen in itertools.combinations(places, size + 1)]
    for place, adjusted in enumerate(holm(p)):
        hardest = max(len(chosen) * min(p[at] for at in chosen) for chosen in sets if place in chosen)
        assert adjusted == pytest.approx(min(1.0, hardest))


def test_ratio_of_perplexities() -> None:
    variant, baseline = np.random.default_rng(0).normal(5, 1, size=(2, 5, 50))
    found = paired(variant, baseline, better="lower")
    shown = ratio(found)
    assert found.interval is not None
    assert shown.interval == pytest.approx(tuple(math.exp(end) for end in found.interval))
    assert shown.value == pytest.approx(math.exp(variant.mean()) / math.exp(baseline.mean()))


def test_facts_are_plain_values() -> None:
    variant, baseline = np.random.default_rng(0).integers(0, 2, size=(2, 5, 50))
    facts = paired(variant, baseline).to_dict()
    assert json.loads(json.dumps(facts))["seeds"] == 5
    assert set(facts) >= {"mean", "interval", "seed_differences", "wins", "ties", "p", "detectable", "degrees"}


@pytest.mark.parametrize(
    ("variant", "baseline", "options", "said"),
    [
        (np.ones((3, 4)), np.ones((3, 5)), {}, r"3 seeds x 4 items and the baseline 3 x 5"),
        (np.ones(4), np.ones(4), {}, r"matrix of seeds x items; these have the shape \(4,\)"),
        (np.ones((0, 4)), np.ones((0, 4)), {}, r"shape \(0, 4\)"),
        (np.full((3, 4), np.nan), np.ones((3, 4)), {}, r"No seed has a score"),
        (np.ones((3, 4)), np.ones((3, 4)), {"weights": [1, 2]}, r"4 items, and weights of the shape \(2,\)"),
        (np.ones((3, 4)), np.ones((3, 4)), {"weights": [1, 2, 0, 1]}, r"positive"),
        (np.ones((3, 4)), np.ones((3, 4)), {"better": "hihger"}, r"Did you mean 'higher'"),
    ],
)
def test_bad_input(variant: Array, baseline: Array, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        paired(variant, baseline, **options)


def test_strata_leave_out_what_differs_between_them() -> None:
    rng = np.random.default_rng(0)
    strata = np.array([0, 0, 0, 1, 1, 1, 2])
    scores = rng.normal(size=(5, 7)) + np.array([0.0, 30.0, -30.0])[strata]
    weights = np.ones(7)
    whole, inside = crossed(scores, weights), crossed(scores, weights, strata)
    assert inside.mean == whole.mean
    assert inside.by_seed == whole.by_seed
    assert inside.by_item < whole.by_item / 100
    assert inside.item_degrees == pytest.approx(4)
    means = scores.mean(axis=0)
    own = [((means[at] - means[[0, 1, 2]].mean()) ** 2) * 1.5 for at in (0, 1, 2)]
    own += [((means[at] - means[[3, 4, 5]].mean()) ** 2) * 1.5 for at in (3, 4, 5)]
    assert inside.by_item == pytest.approx((sum(own) + np.mean(own)) / 49)  # The last one is alone.


def test_strata_of_one_item_each_say_nothing() -> None:
    scores = np.random.default_rng(1).normal(size=(3, 4))
    assert crossed(scores, np.ones(4), np.arange(4)) == crossed(scores, np.ones(4))
