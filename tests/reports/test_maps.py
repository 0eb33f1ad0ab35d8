"""Maps as pictures and as a page, the page in a real browser."""

import base64
import io
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from oratory.errors import InputError
from oratory.inspect import Maps, ablate, attend, heads_of
from oratory.model import Transformer
from oratory.reports import maps_html
from oratory.reports.heads import write_heads
from oratory.reports.maps import panels, picture, reduced, scale, write_maps
from oratory.reports.maps_html import page, payload
from oratory.reports.ramp import ramp
from oratory.training.tasks import base
from tests.inspect.small import SENTENCE, corpus, trained

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = f"{SENTENCE} </script><script>alert(1)</script> $x$ &amp;"


@pytest.fixture(scope="module")
def both() -> Maps:
    return attend(trained("decoder"), SENTENCE, before=True, mean=True, rollout=True, pad_to=22)


def test_the_rows_and_columns_of_a_picture(both: Maps) -> None:
    plain = attend(trained("decoder"), SENTENCE, before=True)
    titles = [[panel.title for panel in row] for row in panels(plain)]
    assert titles[1] == [f"{stage}: layer 1, head {head}" for stage in ("before", "after") for head in (0, 1)]
    np.testing.assert_array_equal(panels(plain)[1][3].weights, plain.weights[1, 1])
    assert [panel.title for panel in panels(both)[0]] == [
        "before: layer 0, mean",
        "before: layer 1, mean",
        "before: rollout",
    ]


def test_a_picture_names_every_token_on_both_axes() -> None:
    found = attend(trained("decoder"), HOSTILE, layer=1, head=0)
    root = ElementTree.fromstring(picture(found, ".svg"))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    for token in found.tokens:
        assert texts.count(token) >= 2 * found.tokens.count(token)
    assert {"query", "key", "weight", "layer 1, head 0"} <= set(texts)
    assert any("Truncated" in (text or "") for text in texts)


def test_padding_is_marked(both: Maps) -> None:
    padded = ElementTree.fromstring(picture(both, ".svg"))
    labels = [text for text in padded.iter(f"{SVG}text") if text.text == "<pad>"]
    # Below three maps and beside two, four tokens of padding each.
    assert len(labels) == 4 * (3 + 2)
    assert all("#8c8c8c" in (label.get("style") or "") for label in labels)
    assert len(list(padded.iter(f"{SVG}pattern"))) >= 1
    assert any("4 of 22 tokens are padding" in (text.text or "") for text in padded.iter(f"{SVG}text"))


def test_kinds_of_files(tmp_path: Path) -> None:
    found = attend(trained("decoder"), "the people", layer=0, head=0)
    for name, start in (("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.svg", b"<?xml"), ("a.npz", b"PK")):
        write_maps(found, tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    assert picture(found, ".svg") == (tmp_path / "a.svg").read_bytes()
    with pytest.raises(InputError, match=re.escape("a.bmp must end in .png, .svg, .pdf, .html, .csv or .npz.")):
        write_maps(found, tmp_path / "a.bmp")


def test_colours_of_a_picture_are_those_of_the_weights() -> None:
    found = attend(trained("encoder"), SENTENCE, layer=0, head=0)
    image = np.asarray(Image.open(io.BytesIO(picture(found, ".png"))).convert("RGB")).reshape(-1, 3)
    seen = {"#" + "".join(f"{part:02x}" for part in colour) for colour in np.unique(image, axis=0)}
    end, _ = scale(found, [found.weights[0, 0]])
    expected = {ramp()[min(255, int(256 * weight / end))] for weight in found.weights.flat}
    assert len(expected - seen) <= len(expected) // 20


def test_squares_of_several_tokens() -> None:
    weights = np.random.default_rng(1).random((11, 11)).astype(np.float32)
    largest, mean = reduced(weights, 4), reduced(weights, 4, largest=False)
    assert largest.shape == mean.shape == (3, 3)
    for row in range(3):
        for column in range(3):
            square = weights[4 * row : 4 * row + 4, 4 * column : 4 * column + 4]
            assert largest[row, column] == square.max()
            assert mean[row, column] == pytest.approx(square.mean(), abs=1e-6)


def _unpacked(text: str, bits: int) -> Any:
    steps = 2**bits - 1
    whole = np.frombuffer(zlib.decompress(base64.b64decode(text)), "<u2" if bits == 16 else np.uint8)
    return (whole / steps) ** 2


def test_the_page_holds_the_weights(both: Maps) -> None:
    data = payload(both)
    assert (data["bits"], data["size"], data["real"]) == (16, 1, 18)
    names = [entry["name"] for entry in data["stages"][1]["maps"]]
    assert names == [
        *(f"layer {layer} head {head}" for layer in (0, 1) for head in (0, 1)),
        "layer 0 mean",
        "layer 1 mean",
        "rollout",
    ]
    np.testing.assert_allclose(
        _unpacked(data["stages"][1]["maps"][3]["largest"], 16), both.weights[1, 1].reshape(-1), atol=2e-5
    )
    np.testing.assert_allclose(
        _unpacked(data["stages"][0]["maps"][0]["largest"], 16),
        both.before.weights[0, 0].reshape(-1),  # type: ignore[union-attr]
        atol=2e-5,
    )


def test_text_stays_text_in_the_page() -> None:
    found = attend(trained("window"), HOSTILE)
    made = page(found)
    assert made.count("<script") == 2  # the data, and our own
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', made, re.DOTALL)
    assert data is not None
    assert "<" not in data[1]
    assert json.loads(data[1])["tokens"] == list(found.tokens)
    assert "https://" not in made
    assert re.search(r"The maps take \d+ kB of this page", made)


def test_a_page_that_would_be_too_heavy_keeps_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    found = attend(trained("decoder"), SENTENCE)
    monkeypatch.setattr(maps_html, "BUDGET", 300)
    data = payload(found)
    assert data["size"] == 3
    entry = data["stages"][0]["maps"][2]
    np.testing.assert_allclose(
        _unpacked(entry["mean"], 16).reshape(6, 6), reduced(found.weights[1, 0], 3, largest=False), atol=1e-4
    )
    assert "squares of 3 x 3 tokens are stored" in page(found)


@pytest.fixture
def browser(chromium: str) -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"]
        )
        yield found
        found.close()


def _opened(browser: Any, path: Path, **options: Any) -> tuple[Any, list[str], list[str]]:
    tab = browser.new_page(viewport={"width": 1100, "height": 900}, **options)
    asked: list[str] = []
    complaints: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: complaints.append(message.text))
    tab.on("pageerror", lambda error: complaints.append(str(error)))
    tab.goto(path.as_uri())
    tab.wait_for_selector("#panes canvas")
    return tab, asked, complaints


def _pixels(tab: Any) -> Any:
    tab.wait_for_timeout(150)
    return tab.evaluate("[...document.querySelectorAll('#panes canvas')].map(c => c.toDataURL())")


def test_the_page_in_a_browser(both: Maps, browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "maps.html"
    write_maps(both, path)
    tab, asked, complaints = _opened(browser, path)
    buttons = tab.locator("#grid button")
    assert buttons.count() == 7
    assert tab.locator("#panes canvas").count() == 2
    first = _pixels(tab)
    # Choosing another head draws another map.
    tab.get_by_role("button", name="layer 1 head 1").click()
    second = _pixels(tab)
    assert second != first
    assert tab.locator("#h-map").inner_text() == "layer 1 head 1"
    # The cursor reads weights, from before and from after.
    tab.locator("#panes canvas").last.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight"):
        tab.keyboard.press(key)
    said = tab.locator("#said").inner_text()
    before, after = (float(stage.weights[1, 1, 3, 2]) for stage in both.stages)
    assert said == f"query the (3) → key keep (2): before {before:.4f}, after {after:.4f}"
    assert tab.locator("#top li").count() == 4  # A decoder's fourth token sees four.
    # Zooming changes the map, and the whole of it comes back.
    whole = _pixels(tab)
    for _ in range(3):
        tab.keyboard.press("+")
    assert _pixels(tab) != whole
    tab.keyboard.press("0")
    assert _pixels(tab) == whole
    tab.get_by_role("button", name="zoom in").click()
    assert _pixels(tab) != whole
    tab.get_by_role("button", name="whole map").click()
    tab.get_by_role("button", name="after", exact=True).click()
    _pixels(tab)
    assert tab.locator("#panes canvas").count() == 1
    assert complaints == []
    assert asked == [path.as_uri()]


def test_lines_between_tokens_in_a_browser(both: Maps, browser: Any, tmp_path: Path) -> None:
    write_maps(both, tmp_path / "maps.html")
    tab, _, complaints = _opened(browser, tmp_path / "maps.html")
    whole = _pixels(tab)
    tab.get_by_role("button", name="lines").click()
    lines = _pixels(tab)
    assert lines != whole
    assert tab.locator("#in").is_disabled(), "lines are not zoomed"
    tab.locator("#panes canvas").last.hover(position={"x": 20, "y": 26 + 22 * 3 + 11})
    assert _pixels(tab) != lines, "the lines of one token alone"
    assert "query the (3)" in tab.locator("#said").inner_text()
    tab.get_by_role("button", name="map", exact=True).click()
    tab.mouse.move(0, 0)
    assert tab.locator("#in").is_enabled()
    assert complaints == []


def test_the_page_with_keys_alone_and_in_the_dark(both: Maps, browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "maps.html"
    write_maps(both, path)
    tab, _, complaints = _opened(browser, path, color_scheme="dark")
    dark = _pixels(tab)
    tab.emulate_media(color_scheme="light")
    assert _pixels(tab) != dark
    tab.locator("#grid button").first.focus()
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Enter")
    _pixels(tab)
    assert tab.locator("#h-map").inner_text() == "layer 0 head 1"
    assert tab.locator("#grid button[aria-pressed=true]").count() == 1
    tab.set_viewport_size({"width": 400, "height": 800})
    _pixels(tab)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 400
    assert complaints == []


def test_hostile_text_and_a_long_one_in_a_browser(browser: Any, tmp_path: Path) -> None:
    write_maps(attend(trained("window"), HOSTILE), tmp_path / "hostile.html")
    tab, asked, complaints = _opened(browser, tmp_path / "hostile.html")
    assert HOSTILE in tab.locator("header").inner_text()
    assert (len(asked), complaints) == (1, [])
    model = Transformer(base("lm", 11, layers=1, heads=1, width=8, position="alibi"), 1)
    found = attend(model, [at % 11 for at in range(2048)])
    write_maps(found, tmp_path / "long.html")
    assert (tmp_path / "long.html").stat().st_size < 4_000_000
    tab, _, complaints = _opened(browser, tmp_path / "long.html")
    assert tab.locator("#as-lines").is_enabled()
    whole = _pixels(tab)
    tab.locator("#panes canvas").focus()
    for _ in range(12):
        tab.keyboard.press("+")
    for _ in range(3):
        tab.keyboard.press("ArrowLeft")
    assert _pixels(tab) != whole
    said = re.fullmatch(r"query \d+ \((\d+)\) → key \d+ \((\d+)\): (.*)", tab.locator("#said").inner_text())
    assert said is not None
    assert float(said[3]) == pytest.approx(found.weights[0, 0, int(said[1]), int(said[2])], abs=5e-3)
    assert complaints == []


def test_pictures_and_reports_of_heads(tmp_path: Path) -> None:
    heads, without = heads_of(trained("decoder"), corpus()), ablate(trained("decoder"), corpus())
    write_heads([heads], tmp_path / "heads.svg")
    texts = [text.text for text in ElementTree.fromstring((tmp_path / "heads.svg").read_bytes()).iter(f"{SVG}text")]
    for name, value in heads.after[3].measures.items():
        assert name in texts
        assert f"{value:.2f}" in texts
    write_heads([without], tmp_path / "ablation.svg")
    drawn = (tmp_path / "ablation.svg").read_text()
    assert "layer 1 head 1" in drawn
    write_heads([heads, without], tmp_path / "both.html")
    made = (tmp_path / "both.html").read_text()
    assert made.count("<svg") == 2
    assert f"{without.heads[0].loss:.4f}" in made
