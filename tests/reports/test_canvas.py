import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from oratory.errors import InputError
from oratory.reports.canvas import (
    DASHES,
    INK,
    PALETTE,
    again,
    colour,
    drawing,
    kind_of,
    log_axis,
    save,
    style,
    visible,
    wrapped,
)


@pytest.mark.parametrize(
    ("kind", "start"), [(".svg", b"<?xml"), (".png", b"\x89PNG"), (".pdf", b"%PDF"), ("", b"<svg")]
)
def test_a_figure_is_saved_as_a_file_or_as_an_element_and_always_the_same(kind: str, start: bytes) -> None:
    def made() -> bytes:
        with style():
            figure, axes = drawing()
            axes.set_xlabel("a")
            return save(figure, kind)

    assert made().startswith(start)
    assert made() == made()


@pytest.mark.parametrize(("values", "labels"), [((200, 600), {"300"}), ((5, 600), {"5", "50", "200"})])
def test_numbers_of_a_logarithmic_axis_do_not_stand_on_each_other(values: tuple[float, ...], labels: set[str]) -> None:
    with style():
        figure, axes = drawing()
        axes.plot(values, values)
        log_axis(axes)
        figure.draw_without_rendering()
        shown = [*axes.get_yticklabels(), *axes.get_yticklabels(minor=True)]
        low, high = axes.get_ylim()
        texts = {text.get_text() for text in shown if low <= text.get_position()[1] <= high} - {""}
    assert labels <= texts
    assert len(texts) < 10


def test_a_name_may_break_at_its_hyphens() -> None:
    assert wrapped("george-h-w-bush", 12, hyphens=True) == "george-h-w-\nbush"
    assert wrapped("george-h-w-bush", 26) == "george-h-w-bush"


def test_only_an_element_takes_the_colours_of_its_page() -> None:
    with style():
        figure, _ = drawing(2, 1)
        file, element = (save(figure, kind).decode() for kind in (".svg", ""))
    assert INK in file
    assert "currentColor" not in file
    assert "#ffffff" in file
    for absent in (INK, "#ffffff", "<style", "<metadata"):
        assert absent not in element
    assert "currentColor" in element
    assert ElementTree.fromstring(element).get("width") == "144pt"


def test_colours_come_again_with_other_dashes() -> None:
    looks = {(colour(at), again(DASHES, at)) for at in range(len(PALETTE) * len(DASHES))}
    assert len(looks) == len(PALETTE) * len(DASHES)
    assert (colour(len(PALETTE)), again(DASHES, len(PALETTE))) == (PALETTE[0], DASHES[1])


def test_a_name_has_three_lines_at_most() -> None:
    assert wrapped("one two", 40) == "one two"
    assert wrapped("word " * 20, 10).count("\n") == 2
    assert wrapped("word " * 20, 10).endswith(" …")


def test_white_space_is_visible_and_nothing_unprintable_is_left() -> None:
    assert [visible(token) for token in ("a\r\n", "\t", " ", "", " b ", "\x00")] == ["a⏎", "→", "␣", "␣", "b", "\ufffd"]


def test_a_kind_is_one_of_those_that_are_known() -> None:
    assert kind_of(Path("a.SVG"), (".svg", ".png")) == ".svg"
    with pytest.raises(InputError, match=re.escape("a.bmp must end in .svg or .png.")):
        kind_of(Path("a.bmp"), (".svg", ".png"))
