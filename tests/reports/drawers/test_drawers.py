from typing import get_args

import matplotlib
import pytest

from oratory.pictures import (
    Bars,
    Curves,
    Differences,
    Mark,
    Picture,
    Points,
    ReferenceCurves,
    ReferenceDifferences,
    ReferenceMark,
)
from oratory.reports import draw
from oratory.reports.drawers import figure_of
from tests.reports.drawers.looking import words
from tests.reports.samples import HOSTILE


def test_every_kind_of_picture_has_a_drawer() -> None:
    kinds = get_args(Picture)
    assert len(kinds) == 11
    assert len({figure_of.dispatch(kind) for kind in (object, *kinds)}) == 12
    with pytest.raises(TypeError, match="no drawer for str"):
        draw("a picture")  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 7, 30])
def test_many_variants_are_still_told_apart(count: int) -> None:
    names = [f"variant {at}" for at in range(count)]
    drawn = [
        draw(Curves({name: ([1, 2], [[1.0, 2.0]]) for name in names}, "x", "y")),
        draw(Differences(dict.fromkeys(names, Mark(1.0, (0, 2), (1, 1))), "d")),
        draw(Bars(["g"], {name: [Mark(1.0)] for name in names}, "y")),
        draw(Points(["t"], {name: [Mark(100.0)] for name in names}, "y")),
        draw(ReferenceCurves({name: ([1, 2], [[1.0, 2.0]]) for name in names}, {}, "x", "y")),
        draw(ReferenceDifferences(dict.fromkeys(names, ReferenceMark(1.0, None, None)), "d")),
    ]
    for svg in drawn:
        assert set(names) <= set(words(svg))


def test_odd_names_are_drawn_and_nothing_global_changes() -> None:
    before = dict(matplotlib.rcParams)
    rows = {"中文 <b>&\x00\x1b$x$ --> ]]>": Mark(0.0), "": Mark(1.0, (float("nan"), float("nan"))), "\udcff": Mark(0.0)}
    svg = draw(Differences(rows, "\x07"))
    assert {"中文 <b>&$x$ --> ]]>", "?"} <= set(words(svg))
    assert dict(matplotlib.rcParams) == before


def test_a_picture_styles_nothing_but_itself() -> None:
    svg = draw(Differences({"a": Mark(0.0)}, "d"))
    assert "<style" not in svg
    assert "currentColor" in svg
    assert svg == draw(Differences({"a": Mark(0.0)}, "d"))


def test_a_long_name_leaves_room_for_the_picture() -> None:
    for picture in (
        Curves({HOSTILE: ([1, 2], [[1.0, 2.0]])}, "x", "y"),
        Differences({HOSTILE: Mark(0.0)}, "d"),
        Bars([HOSTILE], {HOSTILE: [Mark(1.0)]}, "y", {HOSTILE: [2.0]}),
        Points([HOSTILE], {HOSTILE: [Mark(1.0)]}, HOSTILE),
        ReferenceCurves({HOSTILE: ([1, 2], [[1.0, 2.0]])}, {}, "x", "y"),
        ReferenceDifferences({HOSTILE: ReferenceMark(1.0, None, None)}, "d"),
    ):
        assert any(text.endswith("…") for text in words(draw(picture)))
