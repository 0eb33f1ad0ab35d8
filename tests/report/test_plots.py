import math
from typing import Any
from xml.etree import ElementTree

import matplotlib
import pytest

from oratory.report import plots
from oratory.report.figures import PALETTE, _svg
from oratory.report.plots import Mark, curves, differences, grouped, texts
from tests.report.samples import HOSTILE

EVIL = "<b>&$x$ --> ]]> _y_"

SVG = "{http://www.w3.org/2000/svg}"


def words(svg: str) -> list[str]:
    """The texts in a picture, which must be one element of sound XML."""
    root = ElementTree.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    return [text.text or "" for text in root.iter(f"{SVG}text")]


def test_curves_say_their_names_and_stop_where_seeds_do() -> None:
    series: dict[str, tuple[list[float], list[list[float]]]] = {
        EVIL: ([1, 2, 3], [[9.0, 8.0, 7.0], [9.5, 8.5], [10.0, math.nan, math.inf]]),
        "_hidden": ([1.0], [[5.0]]),
        "none": ([], []),
    }
    svg = curves(series, "iteration", "loss")
    assert {EVIL, "_hidden", "none", "iteration", "loss"} <= set(words(svg))
    assert "nan" not in svg
    assert "inf" not in svg


def test_the_band_goes_from_the_lowest_seed_to_the_highest() -> None:
    from oratory.report.plots import _over_seeds

    assert _over_seeds([1, 2, 3], [[1.0, 5.0], [3.0, math.nan]]) == ([1, 2], [1.0, 5.0], [2.0, 5.0], [3.0, 5.0])
    assert _over_seeds([1], [[math.nan]]) == ([], [], [], [])


def test_a_logarithmic_axis_is_written_out() -> None:
    svg = curves({"a": ([1, 2], [[100.0, 1000.0]])}, "x", "y", log=True)
    assert {"100", "1,000"} <= set(words(svg))


def test_differences_have_a_dot_for_each_seed_and_point_to_the_better_side() -> None:
    rows = {"a": Mark(1.0, (0.5, 1.5), (0.8, 0.9, 1.3)), "b": Mark(-1.0)}
    svg = differences(rows, "points")
    assert {"a", "b", "points", "better →"} <= set(words(svg))
    assert "← better" in words(differences(rows, "nats", better="lower"))
    marks = [use for use in ElementTree.fromstring(svg).iter(f"{SVG}use") if "opacity" in use.get("style", "")]
    assert len(marks) == 3


def test_bars_stand_beside_their_baselines() -> None:
    variants: dict[str, list[Mark | None]] = {
        "base": [Mark(85, (83, 87)), Mark(45, (40, 50))],
        "other": [Mark(86, (84, 88)), None],
    }
    svg = grouped(["seen (551)", "unseen (199)"], variants, "accuracy, %", {"lookup": [100, None], "svm": [None, 63.8]})
    assert {"base", "other", "lookup", "svm", "seen (551)", "unseen (199)", "accuracy, %"} <= set(words(svg))
    paths = [path.get("style", "") for path in ElementTree.fromstring(svg).iter(f"{SVG}path")]
    colours = [sum(colour.lower() in style.lower() for style in paths) for colour in PALETTE[:2]]
    assert colours == [3, 2], "two bars and one, and each in the legend"


def test_texts_show_every_variant_on_every_text() -> None:
    variants: dict[str, list[Mark | None]] = {
        EVIL: [Mark(340.0, (320, 360), (330, 350)), Mark(400.0)],
        "b": [None, Mark(390.0)],
    }
    shown = words(texts(["Obama", "W. Bush"], variants, baselines={"Kneser-Ney": [247.0, None]}))
    assert {"Obama", "W. Bush", EVIL, "b", "Kneser-Ney", "perplexity"} <= set(shown)


@pytest.mark.parametrize("count", [1, 7, 30])
def test_many_variants_are_still_told_apart(count: int) -> None:
    names = [f"variant {at}" for at in range(count)]
    drawn = [
        curves({name: ([1, 2], [[1.0, 2.0]]) for name in names}, "x", "y"),
        differences(dict.fromkeys(names, Mark(1.0, (0, 2), (1, 1))), "d"),
        grouped(["g"], {name: [Mark(1.0)] for name in names}, "y"),
        texts(["t"], {name: [Mark(100.0)] for name in names}),
    ]
    for svg in drawn:
        assert set(names) <= set(words(svg))


def test_odd_names_are_drawn_and_nothing_global_changes() -> None:
    before = dict(matplotlib.rcParams)
    svg = differences({"中文 <b>&\x00\x1b$x$ --> ]]>": Mark(0.0), "": Mark(1.0, (math.nan, math.nan))}, "\x07")
    assert "中文 <b>&$x$ --> ]]>" in words(svg)
    assert dict(matplotlib.rcParams) == before


def test_a_picture_styles_nothing_but_itself() -> None:
    svg = differences({"a": Mark(0.0)}, "d")
    assert "<style" not in svg
    assert "currentColor" in svg
    assert svg == differences({"a": Mark(0.0)}, "d")


def test_a_long_name_leaves_room_for_the_picture() -> None:
    for svg in (
        curves({HOSTILE: ([1, 2], [[1.0, 2.0]])}, "x", "y"),
        differences({HOSTILE: Mark(0.0)}, "d"),
        grouped([HOSTILE], {HOSTILE: [Mark(1.0)]}, "y", {HOSTILE: [2.0]}),
        texts([HOSTILE], {HOSTILE: [Mark(1.0)]}),
    ):
        assert any(text.endswith("…") for text in words(svg))


@pytest.fixture
def axes(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The axes of the pictures drawn from here on, to be looked at in the units of the facts."""
    kept: list[Any] = []

    def keep(figure: Any) -> str:
        kept.append(figure.axes[0])
        return _svg(figure)

    monkeypatch.setattr(plots, "_svg", keep)
    return kept


def points(axes: Any) -> list[tuple[list[float], list[float]]]:
    return [(list(map(float, line.get_xdata())), list(map(float, line.get_ydata()))) for line in axes.lines]


def test_a_curve_is_the_mean_within_its_band(axes: list[Any]) -> None:
    curves({"a": ([10, 20], [[1.0, 2.0], [3.0, 6.0]])}, "x", "y")
    assert points(axes[0]) == [([10, 20], [2.0, 4.0])]
    [band] = axes[0].collections
    assert {tuple(map(float, corner)) for corner in band.get_paths()[0].vertices} >= {
        (10, 1),
        (10, 3),
        (20, 2),
        (20, 6),
    }


def test_a_difference_stands_where_it_was_measured(axes: list[Any]) -> None:
    differences({"a": Mark(1.0, (0.5, 1.75), (0.8, 1.2)), "b": Mark(-2.0, (-3.0, -1.0))}, "d")
    drawn = points(axes[0])
    assert [xs for xs, _ in drawn] == [[0.8, 1.2], [0.5, 1.75], [1.0], [], [-3.0, -1.0], [-2.0], [0, 0]]
    assert [ys for _, ys in drawn][1:3] == [[0, 0], [0]]
    assert [ys for _, ys in drawn][4:6] == [[1, 1], [1]]
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["a", "b"]
    assert axes[0].yaxis_inverted(), "the first variant is on top"


def test_bars_and_baselines_have_their_heights(axes: list[Any]) -> None:
    variants: dict[str, list[Mark | None]] = {"a": [Mark(80, (70, 90)), None], "b": [Mark(60), Mark(40)]}
    grouped(["g", "h"], variants, "y", {"svm": [75, 50]})
    bars = [(round(bar.get_x() + bar.get_width() / 2, 3), bar.get_height()) for bar in axes[0].patches]
    assert bars == [(-0.2, 80), (0.2, 60), (1.2, 40)]
    [(places, heights)] = points(axes[0])
    assert places == pytest.approx([-0.2, -0.2])
    assert heights == [70, 90]
    lines = [[list(map(float, end)) for end in line.get_segments()[0]] for line in axes[0].collections]
    assert lines == [[[-0.46, 75], [0.46, 75]], [[0.54, 50], [1.46, 50]]]


def test_perplexities_have_their_places(axes: list[Any]) -> None:
    texts(["s", "t"], {"a": [Mark(300, (250, 360), (290, 310)), Mark(500)]}, baselines={"kn": [None, 240]})
    assert [ys for _, ys in points(axes[0])] == [[290, 310], [250, 360], [300], [], [500]]
    assert [xs for xs, _ in points(axes[0])][2::2] == [[0], [1]]
    assert [float(line.get_segments()[0][0][1]) for line in axes[0].collections] == [240]
    assert axes[0].get_yscale() == "log"
