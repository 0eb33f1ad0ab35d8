import math
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from oratory.errors import InputError
from oratory.reports.ramp import shade
from oratory.reports.surprisal import WIDTH, surprisal, write_surprisal
from oratory.training.tasks.classifier.use import TextClass
from oratory.training.tasks.lm.use import TextSurprisal

SVG = "{http://www.w3.org/2000/svg}"


def tokens(svg: str) -> list[tuple[str, str]]:
    """Each token with its colour."""
    found = []
    for chip in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        box, text = chip.find(f"{SVG}rect"), chip.find(f"{SVG}text")
        assert text is not None
        found.append((text.text or "", "" if box is None else box.get("fill", "")))
    return found


def test_a_token_has_the_colour_of_its_surprisal() -> None:
    svg = surprisal(["<s>", "a", "b&", "c"], [None, 0.0, 8.0, math.nan])
    assert tokens(svg) == [("<s>", ""), ("a", shade(0)[0]), ("b&", shade(1)[0]), ("c", "")]
    assert ">8  surprisal, nats<" in svg


def test_lines_break_within_the_picture_and_at_line_ends() -> None:
    given = [*(["word"] * 200), "end\n", "x" * 300, "中" * 50, " ", "\t"]
    root = ElementTree.fromstring(surprisal(given, [1.0] * len(given)))
    boxes = [chip.find(f"{SVG}rect") for chip in root.iter(f"{SVG}g")]
    places = [
        (float(box.get("x", "")), float(box.get("y", "")), float(box.get("width", "")))
        for box in boxes
        if box is not None
    ]
    assert max(x + width for x, _, width in places) <= WIDTH
    assert min(x for x, _, _ in places) >= 0
    for (x, y, width), (later_x, later_y, _) in pairwise(places):
        assert (later_y == y and later_x >= x + width) or later_y > y
    assert float(root.get("height", "")) > max(y for _, y, _ in places)
    shown = [text.text for text in root.iter(f"{SVG}text")]
    assert {"end⏎", "␣", "→"} <= set(shown)
    assert "".join(text or "" for text in shown).count("x") == 300


def test_no_text_is_an_empty_picture() -> None:
    assert tokens(surprisal([], [])) == []


def test_what_xml_forbids_is_replaced() -> None:
    assert tokens(surprisal(["a\x00\ud800b"], [1.0])) == [("a\ufffd\ufffdb", shade(1)[0])]


def test_every_token_needs_its_value() -> None:
    with pytest.raises(ValueError, match="zip"):
        surprisal(["a", "b"], [1.0])


def test_long_texts_are_fine() -> None:
    assert len(tokens(surprisal(["token"] * 20_000, [3.0] * 20_000))) == 20_000


def test_scored_texts_are_a_picture_or_a_report(tmp_path: Path) -> None:
    texts = [TextSurprisal("r1", text, tuple(text.split()), (1.0, 2.0), 0, 1.5) for text in ("we <go>", "on & on")]
    texts[1] = TextSurprisal("r1", "on & on", ("on", "&", "on"), (1.0, 2.0, 0.5), 0, 1.5)
    assert write_surprisal(tmp_path / "one.svg", texts[:1]) == (tmp_path / "one.svg",)
    assert [token for token, _ in tokens((tmp_path / "one.svg").read_text())] == ["we", "<go>"]
    write_surprisal(tmp_path / "two.svg", texts)
    assert [token for token, _ in tokens((tmp_path / "two.svg").read_text())] == ["we", "<go>⏎", "on", "&", "on⏎"]
    [page] = write_surprisal(tmp_path / "two.html", texts)
    text = page.read_text()
    assert text.count("<svg") == 2
    assert "on &amp; on" in text
    assert "Run r1. Perplexity 4.5" in text
    with pytest.raises(InputError, match="should end in"):
        write_surprisal(tmp_path / "two.png", texts)
    with pytest.raises(InputError, match="no surprisal for each token"):
        write_surprisal(tmp_path / "a.svg", [*texts, TextClass("r2", "a", ("a",), {"x": 1.0}, 0)])
