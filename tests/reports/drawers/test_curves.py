import math

from oratory.pictures import Curves, ReferenceCurves, Series
from oratory.reports import draw
from oratory.reports.drawers.curves import over_seeds
from tests.reports.drawers.looking import EVIL, axes_of, points, words


def test_curves_say_their_names_and_stop_where_seeds_do() -> None:
    series: Series = {
        EVIL: ([1, 2, 3], [[9.0, 8.0, 7.0], [9.5, 8.5], [10.0, math.nan, math.inf]]),
        "_hidden": ([1.0], [[5.0]]),
        "none": ([], []),
    }
    svg = draw(Curves(series, "iteration", "loss"))
    assert {EVIL, "_hidden", "none", "iteration", "loss"} <= set(words(svg))
    assert "nan" not in svg
    assert "inf" not in svg


def test_the_band_goes_from_the_lowest_seed_to_the_highest() -> None:
    assert over_seeds([1, 2, 3], [[1.0, 5.0], [3.0, math.nan]]) == ([1, 2], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0])
    assert over_seeds([1], [[math.nan]]) == ([], [], [], [])


def test_a_curve_is_the_mean_within_its_band() -> None:
    axes = axes_of(Curves({"a": ([10, 20], [[1.0, 2.0], [3.0, 6.0]])}, "x", "y"))
    assert points(axes) == [([10, 20], [2.0, 4.0])]
    [band] = axes.collections
    assert {tuple(map(float, corner)) for corner in band.get_paths()[0].vertices} >= {
        (10, 1),
        (10, 3),
        (20, 2),
        (20, 6),
    }


def test_a_logarithmic_axis_is_written_out() -> None:
    svg = draw(Curves({"a": ([1, 2], [[100.0, 1000.0]])}, "x", "y", log=True))
    assert {"100", "1,000"} <= set(words(svg))


def test_with_dots_every_place_has_its_mark_and_its_label() -> None:
    series: Series = {"a": ([1, 2, 5], [[3.0, 2.0, 1.0]]), "b": ([1, 3], [[3.0, 2.0]])}
    axes = axes_of(Curves(series, "order", "perplexity", dots=True))
    assert {line.get_marker() for line in axes.lines} == {"o"}
    assert list(axes.get_xticks()) == [1, 2, 3, 5]
    assert {line.get_marker() for line in axes_of(Curves(series, "x", "y")).lines} == {""}


def test_published_points_are_beside_our_curves() -> None:
    series: Series = {EVIL: ([1, 2], [[4000.0, 200.0], [4400.0, 220.0]]), "b": ([1], [[300.0]])}
    picture = ReferenceCurves(series, {EVIL: ([2], [190.0])}, "update", "perplexity", log=True)
    axes = axes_of(picture)
    assert points(axes) == [([1, 2], [4200.0, 210.0]), ([2], [190.0]), ([1], [300.0])]
    assert axes.get_yscale() == "log"
    shown = set(words(draw(picture)))
    assert {EVIL, f"{EVIL}, reference", "b", "200", "500", "2,000", "update", "perplexity"} <= shown
    assert not {"300", "b, reference"} & shown, "only 1, 2 and 5, and only the points that were given"
