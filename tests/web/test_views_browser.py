"""By hand, data, verdicts and the classifier in a real browser: dragging, clicking, typing, and the keyboard."""

import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.execution.training import LM
from tests.web.conftest import EVIL, Kept, Server, Tab


@pytest.fixture
def tab(browser: Any) -> Iterator[Tab]:
    found = Tab(browser)
    yield found
    assert found.complaints == []


def shown_weights(page: Any) -> list[float]:
    return [float(text) for text in page.locator("#table .meter .figure").all_inner_texts()]


def softmax(scores: Any) -> Any:
    raised = np.exp(scores - np.max(scores))
    return raised / raised.sum()


def drag(page: Any, name: str, to: str) -> None:
    """Drag one point onto another."""
    boxes = [page.locator(f'[data-name="{each}"] .body').first.bounding_box() for each in (name, to)]
    (x, y), (x2, y2) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move((x + x2) / 2, (y + y2) / 2)
    page.mouse.move(x2, y2)
    page.mouse.up()


def test_points_are_dragged_and_moved_by_keys(tab: Tab, server: Server) -> None:
    page = tab.page
    page.goto(f"{server.home}/hand")
    page.wait_for_selector("#keys svg")
    keys, query = np.array([[0.9, 0.3], [0.2, 0.9], [-0.8, 0.5], [-0.2, -0.8]]), np.array([1, 0.6])
    np.testing.assert_allclose(shown_weights(page), softmax(keys @ query), atol=1e-4)
    drag(page, "query", "key 2")
    np.testing.assert_allclose(shown_weights(page), softmax(keys @ keys[2]), atol=0.01)
    before = page.get_by_label("key 0, number 1").input_value()
    page.locator('[data-name="key 0"]').focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert float(page.get_by_label("key 0, number 1").input_value()) > float(before)
    assert page.evaluate("document.activeElement.dataset.name") == "key 0", "the point that moves keeps the focus"
    # The link restores all of it.
    moved = shown_weights(page)
    page.wait_for_timeout(300)
    page.reload()
    page.wait_for_selector("#keys svg")
    assert shown_weights(page) == moved


def test_the_solver_selects_averages_and_shows_why_not(tab: Tab, server: Server) -> None:
    page = tab.page
    page.goto(f"{server.home}/hand")
    page.wait_for_selector("#keys svg")
    page.get_by_role("button", name="Select 0").click()
    page.wait_for_selector("#answer .done")
    np.testing.assert_allclose(shown_weights(page), [1, 0, 0, 0], atol=1e-4)
    page.get_by_label("key 1 is wanted").check()
    page.get_by_role("button", name="Average 0, 1").click()
    page.locator("#answer", has_text="Margin").wait_for()
    page.wait_for_timeout(200)
    np.testing.assert_allclose(shown_weights(page), [0.5, 0.5, 0, 0], atol=1e-4)
    assert "--average 0,1" in page.locator("#command").inner_text()
    # A key in the middle of others cannot be selected.
    page.goto(f"{server.home}/hand?keys=[[0,0],[1,1],[-1,-1],[1,-1]]")
    page.get_by_role("button", name="Select 0").click()
    page.wait_for_selector("#answer .wrong")
    assert "Impossible" in page.locator("#answer").inner_text()
    assert page.locator(".witness").count() >= 2
    page.get_by_role("button", name="Forget the certificate").click()
    assert page.locator(".witness").count() == 0


def test_an_exercise_is_checked(tab: Tab, server: Server) -> None:
    page = tab.page
    page.goto(f"{server.home}/hand")
    page.wait_for_selector("#keys svg")
    page.get_by_label("Exercise").select_option("5")
    page.get_by_role("button", name="Check my answer").click()
    page.wait_for_selector("#answer .wrong")
    assert page.get_by_label("key 0, number 1").is_disabled()
    for at, value in enumerate((0.604, 0.797, -0.014)):
        page.get_by_label(f"key 2, number {at + 1}").fill(str(value))
        page.get_by_label(f"key 2, number {at + 1}").press("Enter")
    page.get_by_role("button", name="Check my answer").click()
    page.wait_for_selector("#answer .done")
    page.get_by_label("Exercise").select_option("3")
    page.get_by_role("button", name="Show me").click()
    page.wait_for_selector("#answer .done")
    page.get_by_role("button", name="Check my answer").click()
    page.locator("#answer", has_text="Solved").wait_for()


def test_a_leaked_text_shows_its_twin(tab: Tab, server: Server) -> None:
    page = tab.page
    page.goto(f"{server.home}/data")
    option = page.locator("#corpus option").filter(has_text="img src").first.get_attribute("value")
    page.get_by_label("Corpus").select_option(option)
    leaked = page.locator("#leak-list button").first
    leaked.wait_for()
    leaked.press("Enter")
    assert page.locator("#twin blockquote").count() == 2
    assert "<b>0</b>" in page.locator("#twin blockquote").last.inner_text(), "markup is text"
    page.get_by_label("Only texts with").fill("<b>1")
    page.locator("#leak-count", has_text="1 match").wait_for()
    assert page.locator("#leak-list button").count() == 1
    page.get_by_role("button", name="Measure the baselines").click()
    page.wait_for_selector("#baselines table")
    assert "lookup" in page.locator("#baselines").inner_text()
    assert "oratory audit" in page.locator("#command").inner_text()


def test_seeds_are_moved(tab: Tab, server: Server, trained: Kept) -> None:
    page = tab.page
    page.goto(f"{server.home}/verdict")
    page.wait_for_selector("#curve svg")
    page.get_by_label(re.compile("^Seeds")).focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    page.locator(".seeds output", has_text="2 of 20").wait_for()
    assert page.locator("#result .word").inner_text() == "No verdict"
    assert "three are needed" in page.locator("#result").inner_text()
    page.get_by_label("Scores").select_option(trained.comparison)
    page.locator(".seeds output", has_text="3 of 3").wait_for()
    assert page.locator("#matrix canvas").evaluate("canvas => [canvas.width, canvas.height]") == [2, 3]
    assert f"oratory report {trained.comparison}" in page.locator("#command").inner_text()


def test_a_text_is_classified_and_explained(tab: Tab, server: Server, trained: Kept) -> None:
    pytest.importorskip("captum")
    page = tab.page
    page.goto(f"{server.home}/classifier?run={trained.classifier}")
    page.wait_for_selector(".matrix button")
    page.get_by_label("A text", exact=True).fill("We will go on <b>3</b> times.")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#answer:not([hidden]) .class")
    assert page.locator(".verdict").inner_text().startswith("Seen")
    assert {EVIL, "öäü 🙂 العربية"} == set(page.locator(".class .name").all_inner_texts())
    page.get_by_role("button", name="Which tokens mattered?").click()
    page.wait_for_selector("#tokens .way", timeout=120_000)
    assert page.locator("#tokens .way").count() == 3
    drawn = page.locator("[data-way=gradients] .text span")
    assert len({span.evaluate("each => each.style.backgroundColor") for span in drawn.all()}) > 1
    cell = page.locator(".matrix td button").filter(has_not_text=re.compile("^0$")).first
    cell.click()
    page.wait_for_selector("#cell button")
    assert page.locator("#cell button").count() == int(cell.inner_text())
    page.locator("#cell button").first.click()
    assert page.get_by_label("A text", exact=True).input_value() in page.locator("#cell").inner_text()


def test_tables_and_pictures_are_kept_as_files(tab: Tab, server: Server, trained: Kept, tmp_path: Path) -> None:
    page = tab.page
    made = page.goto(f"{server.home}/hand") and page.evaluate(
        """async () => (await import("/static/keep.js")).csvOf([["=1+1", "-0.5", "@x"], ['a "b", c', "+2%", "-1 2"]])"""
    )
    assert list(csv.reader(io.StringIO(made))) == [["'=1+1", "-0.5", "'@x"], ['a "b", c', "+2%", "-1 2"]]
    for path, kind in (("/hand", "CSV"), ("/hand", "SVG"), ("/verdict", "PNG"), (f"/runs/{trained.lm}", "SVG")):
        page.goto(f"{server.home}{path}")
        button = page.get_by_role("button", name=f"Save as {kind}").first
        button.wait_for()
        with page.expect_download() as waited:
            button.click()
        waited.value.save_as(tmp_path / f"kept.{kind}")
        content = (tmp_path / f"kept.{kind}").read_bytes()
        if kind == "CSV":
            rows = list(csv.reader(io.StringIO(content.decode())))
            assert rows[0] == ["wanted", "weight", "score", "key", "value"]
            assert [float(row[1]) for row in rows[1:]] == shown_weights(page)
        elif kind == "SVG":
            drawn = ElementTree.fromstring(content)
            assert {each.get("class") for each in drawn.iter()} == {None}, "the file does not have the page's styles"
        else:
            assert content.startswith(b"\x89PNG")


def test_runs_that_are_trained_now_are_seen_in_the_list(tab: Tab, server: Server) -> None:
    page, long = tab.page, LM | {"train.iterations": "20000", "train.eval_every": "20000"}
    data = next(each["data"] for each in server.ask("GET", "/api/data") if EVIL in each["data"])
    job = server.ask("POST", "/api/train/start", json={"task": "lm", "data": data, "settings": long})["id"]
    page.goto(f"{server.home}/runs")
    page.wait_for_selector("#running .card progress")
    page.wait_for_selector("#running .said:text-matches('[1-9][0-9,]* of 20,000 updates')")
    server.ask("POST", f"/api/jobs/{job}/stop")
    page.get_by_text("A run has ended.").wait_for()
    assert page.locator("#running").is_hidden()


def test_a_refusal_is_a_sentence_on_the_page(tab: Tab, server: Server, trained: Kept) -> None:
    page = tab.page
    page.goto(f"{server.home}/classifier?run={trained.classifier}")
    page.get_by_role("button", name="Classify").click()
    assert page.locator("#said").inner_text() == "Type a text first."
