"""The explorer and the language view in a real browser: hover, zoom, keys, links that restore, and files."""

import re
from pathlib import Path
from typing import Any

import pytest

from oratory import api
from oratory.inspect import attend
from tests.web.conftest import EVIL, Kept, Server, Tab

TEXT = "We will go on, and we can."
PHONE = {"viewport": {"width": 390, "height": 844}}


def opened(browser: Any, server: Server, path: str, ready: str, **options: Any) -> Tab:
    tab = Tab(browser, **options)
    tab.page.goto(f"{server.home}{path}")
    tab.page.wait_for_selector(ready)
    tab.page.wait_for_timeout(400)
    return tab


def explorer(browser: Any, server: Server, query: str, **options: Any) -> Tab:
    return opened(browser, server, f"/attention?{query}", "#heads button", **options)


def test_hover_keys_zoom_and_a_link(browser: Any, server: Server, trained: Kept) -> None:
    run = api.load_run(trained.lm, trained.runs)
    weights, tokens = attend(run, TEXT).weights[0, 1], attend(run, TEXT).tokens
    tab = explorer(browser, server, f"run={run.id}&text={TEXT}")
    page = tab.page
    assert "every sanity check passed" in page.locator("#verdict").inner_text()
    page.get_by_role("button", name="Layer 0, head 1").click()
    page.wait_for_timeout(300)
    page.locator("#maps canvas").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    page.wait_for_timeout(300)
    said = page.locator("#cell").inner_text()
    match = re.fullmatch(r"“(.+)” \((\d+)\) looks at “(.+)” \((\d+)\) with ([\d.]+) of its weight\.", said)
    assert match, said
    row, column = int(match[2]), int(match[4])
    assert (match[1], match[3]) == (tokens[row], tokens[column])
    assert float(match[5]) == pytest.approx(weights[row, column], abs=1e-4)
    # A token of the text below: where it looks, and who looks at it.
    page.locator("#row button").nth(4).hover()
    page.wait_for_timeout(200)
    assert page.locator("#looks").inner_text() == f"Where “{tokens[4]}” looks"
    shown = [float(each.get_attribute("title")) for each in page.locator("#row button").all()]
    assert shown == pytest.approx(weights[4].tolist(), abs=1e-4)
    shown = [float(each.get_attribute("title")) for each in page.locator("#column button").all()]
    assert shown == pytest.approx(weights[:, 4].tolist(), abs=1e-4)
    # Zooming changes the map; the address of what is seen now restores it in another tab.
    pixels = "document.querySelector('#maps canvas').toDataURL()"
    whole = page.evaluate(pixels)
    page.locator("#maps canvas").focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    page.wait_for_timeout(500)
    near = page.evaluate(pixels)
    assert near != whole
    assert "--layer 0 --head 1" in page.locator("#command").inner_text()
    again = explorer(browser, server, page.url.partition("?")[2])
    again.page.wait_for_timeout(400)
    # There the map has no focus, which is not drawn on it.
    assert again.page.evaluate(pixels) == near
    assert again.page.locator("#cell").inner_text() == page.locator("#cell").inner_text()
    assert tab.complaints == again.complaints == []


def test_side_by_side_lens_and_measures(browser: Any, server: Server, trained: Kept) -> None:
    tab = explorer(browser, server, f"run={trained.lm}&text={TEXT}")
    page = tab.page
    page.get_by_role("button", name="Side by side").click()
    page.wait_for_selector("#maps[data-panes='3']")
    captions = page.locator("#maps figcaption b").all_inner_texts()
    assert captions == ["after training", "before training", "The first minus the second"]
    page.locator("[data-side='2'] textarea").fill("We will go on.")
    page.wait_for_selector("#maps[data-panes='2']")
    assert "There is no difference to draw" in page.locator("#about").inner_text()
    page.get_by_role("button", name="Show the logit lens").click()
    page.wait_for_selector(".lens button")
    page.locator(".lens button").first.focus()
    page.keyboard.press("ArrowDown")
    assert "Most probable next token" in page.locator("#guesses").inner_text()
    page.get_by_role("button", name="Switch off each head").click()
    page.wait_for_selector("#measured table, #measured .wrong", timeout=240_000)
    assert page.locator("#measured .wrong").all_inner_texts() == []
    assert tab.complaints == []


def test_files_from_the_page(browser: Any, server: Server, trained: Kept, tmp_path: Path) -> None:
    tab = explorer(browser, server, f"run={trained.classifier}&text={TEXT}")
    beginnings = {"svg": b"<?xml", "png": b"\x89PNG", "csv": b"stage,layer", "html": b"<!doctype html>"}
    for kind, beginning in beginnings.items():
        with tab.page.expect_download() as waited:
            tab.page.select_option("#save", kind)
        path = tmp_path / f"file.{kind}"
        waited.value.save_as(path)
        assert waited.value.suggested_filename.endswith(f".{kind}")
        assert path.read_bytes().startswith(beginning), kind
    assert tab.complaints == []


def test_lines_between_tokens(browser: Any, server: Server, trained: Kept) -> None:
    tab = explorer(browser, server, f"run={trained.lm}&text={TEXT}")
    page = tab.page
    assert page.locator("#lines").is_hidden()
    page.get_by_role("button", name="Lines").click()
    canvas = page.locator("#lines canvas")
    canvas.wait_for()
    assert page.locator("#maps").is_hidden()
    page.wait_for_timeout(300)
    every = canvas.evaluate("canvas => canvas.toDataURL()")
    canvas.hover(position={"x": 40, "y": 26 + 24 * 3 + 12})
    page.wait_for_timeout(300)
    tokens = attend(api.load_run(trained.lm, trained.runs), TEXT).tokens
    assert page.locator("#looks").inner_text() == f"Where “{tokens[3]}” looks"
    assert canvas.evaluate("canvas => canvas.toDataURL()") != every, "the lines of one token alone"
    again = explorer(browser, server, page.url.partition("?")[2])
    assert again.page.locator("#lines canvas").is_visible()
    assert again.page.get_by_role("button", name="Lines").get_attribute("aria-pressed") == "true"
    assert tab.complaints == again.complaints == []


def test_hostile_texts_bad_input_and_a_phone(browser: Any, server: Server, trained: Kept) -> None:
    tab = explorer(browser, server, f"run={trained.lm}", color_scheme="dark", **PHONE)
    page = tab.page
    page.locator("#form textarea").first.fill(f"{EVIL} öäü 🙂 العربية we will go on")
    page.wait_for_timeout(900)
    assert page.locator("main img").count() == 0
    assert page.locator("#row button", has_text="img").count()
    page.locator("#form textarea").first.fill("")
    page.wait_for_timeout(900)
    assert "the text is empty" in page.locator("#said").inner_text()
    assert page.locator("#form").get_attribute("data-stale") is not None, "the maps are of another text"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert [each for each in tab.complaints if "400" not in each] == []
    gone = Tab(browser)
    gone.page.goto(f"{server.home}/attention?run=gone-1")
    gone.page.get_by_text("There is no run 'gone-1'").wait_for()


def test_the_language_view(browser: Any, server: Server, trained: Kept) -> None:
    run = api.load_run(trained.lm, trained.runs)
    tab = opened(browser, server, f"/language?runs={run.id}&text={TEXT}&counts=true", ".chips button")
    page = tab.page
    scored = run.score(TEXT)[0]
    chips = page.locator(".chips").first.locator("button")
    assert chips.count() == len(scored.tokens)
    chips.nth(2).hover()
    assert f"{scored.surprisal[2]:.2f} nats" in page.locator("#detail").inner_text()
    assert page.locator("#detail .columns > div").count() == 2
    for _ in range(3):
        page.get_by_role("button", name="One token").click()
        page.wait_for_timeout(400)
    made = [each.inner_text() for each in page.locator("#made button").all()]
    assert len(made) == 3
    page.locator("#next button").nth(1).click()  # Another token in place of the last one.
    page.wait_for_timeout(600)
    changed = [each.inner_text() for each in page.locator("#made button").all()]
    assert changed[:2] == made[:2]
    again = opened(browser, server, f"/language?{page.url.partition('?')[2]}", "#made button")
    again.page.wait_for_timeout(500)
    assert [each.inner_text() for each in again.page.locator("#made button").all()] == changed
    assert page.locator("#beams button").count() == 5
    assert "by hand" in page.locator("#command").inner_text()
    assert tab.complaints == again.complaints == []
