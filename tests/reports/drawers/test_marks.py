from xml.etree import ElementTree

import pytest

from oratory.pictures import Bars, Differences, Mark, Points, ReferenceDifferences, ReferenceMark
from oratory.reports import draw
from oratory.reports.canvas import PALETTE
from tests.reports.drawers.looking import EVIL, SVG, axes_of, points, words

Variants = dict[str, list[Mark | None]]


def test_differences_have_a_dot_for_each_seed_and_point_to_the_better_side() -> None:
    rows = {"a": Mark(1.0, (0.5, 1.5), (0.8, 0.9, 1.3)), "b": Mark(-1.0)}
    svg = draw(Differences(rows, "points"))
    assert {"a", "b", "points", "better →"} <= set(words(svg))
    assert "← better" in words(draw(Differences(rows, "nats", better="lower")))
    marks = [use for use in ElementTree.fromstring(svg).iter(f"{SVG}use") if "opacity" in use.get("style", "")]
    assert len(marks) == 3


def test_bars_are_beside_their_baselines() -> None:
    variants: Variants = {"base": [Mark(85, (83, 87)), Mark(45, (40, 50))], "other": [Mark(86, (84, 88)), None]}
    baselines: dict[str, list[float | None]] = {"lookup": [100, None], "svm": [None, 63.8]}
    svg = draw(Bars(["seen (551)", "unseen (199)"], variants, "accuracy, %", baselines))
    assert {"base", "other", "lookup", "svm", "seen (551)", "unseen (199)", "accuracy, %"} <= set(words(svg))
    paths = [path.get("style", "") for path in ElementTree.fromstring(svg).iter(f"{SVG}path")]
    colours = [sum(colour.lower() in style.lower() for style in paths) for colour in PALETTE[:2]]
    assert colours == [3, 2], "two bars and one, and each in the legend"


def test_points_show_every_variant_on_every_text() -> None:
    variants: Variants = {EVIL: [Mark(340.0, (320, 360), (330, 350)), Mark(400.0)], "b": [None, Mark(390.0)]}
    shown = words(draw(Points(["Obama", "W. Bush"], variants, "perplexity", {"Kneser-Ney": [247.0, None]})))
    assert {"Obama", "W. Bush", EVIL, "b", "Kneser-Ney", "perplexity"} <= set(shown)


def test_a_difference_is_where_it_was_measured() -> None:
    axes = axes_of(Differences({"a": Mark(1.0, (0.5, 1.75), (0.8, 1.2)), "b": Mark(-2.0, (-3.0, -1.0))}, "d"))
    drawn = points(axes)
    assert [xs for xs, _ in drawn] == [[0.8, 1.2], [0.5, 1.75], [1.0], [], [-3.0, -1.0], [-2.0], [0, 0]]
    assert [ys for _, ys in drawn][1:3] == [[0, 0], [0]]
    assert [ys for _, ys in drawn][4:6] == [[1, 1], [1]]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a", "b"]
    assert axes.yaxis_inverted(), "the first variant is on top"


def test_bars_and_baselines_have_their_heights() -> None:
    variants: Variants = {"a": [Mark(80, (70, 90)), None], "b": [Mark(60), Mark(40)]}
    axes = axes_of(Bars(["g", "h"], variants, "y", {"svm": [75, 50]}))
    bars = [(round(bar.get_x() + bar.get_width() / 2, 3), bar.get_height()) for bar in axes.patches]
    assert bars == [(-0.2, 80), (0.2, 60), (1.2, 40)]
    [(places, heights)] = points(axes)
    assert places == pytest.approx([-0.2, -0.2])
    assert heights == [70, 90]
    lines = [[list(map(float, end)) for end in line.get_segments()[0]] for line in axes.collections]
    assert lines == [[[-0.46, 75], [0.46, 75]], [[0.54, 50], [1.46, 50]]]


def test_perplexities_have_their_places() -> None:
    variants: Variants = {"a": [Mark(300, (250, 360), (290, 310)), Mark(500)]}
    axes = axes_of(Points(["s", "t"], variants, "perplexity", {"kn": [None, 240]}))
    assert [ys for _, ys in points(axes)] == [[290, 310], [250, 360], [300], [], [500]]
    assert [xs for xs, _ in points(axes)][2::2] == [[0], [1]]
    assert [float(line.get_segments()[0][0][1]) for line in axes.collections] == [240]
    assert axes.get_yscale() == "log"


def test_published_values_are_seen_from_our_mean() -> None:
    rows = {"a": ReferenceMark(3.0, (-1.0, 1.0), (-4.0, 4.0)), "b": ReferenceMark(-9.0, None, None, comparable=False)}
    picture = ReferenceDifferences(rows, "difference, %")
    axes = axes_of(picture)
    assert points(axes) == [([-4, 4], [0, 0]), ([-1, 1], [0, 0]), ([3], [0]), ([-9], [1]), ([0, 0], [0, 1])]
    assert [line.get_color() for line in axes.lines[2:4]] == [PALETTE[5], "none"]
    names = {"a", "b", "difference, %", "reference", "not comparable", "our mean, 95%", "one new seed, 95%"}
    assert names <= set(words(draw(picture)))
