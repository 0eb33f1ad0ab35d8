import math
from xml.etree import ElementTree

import matplotlib
import pytest

from oratory.report.figures import PALETTE
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
