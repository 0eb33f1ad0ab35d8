"""The page in a real browser: every view in light, dark and on a phone, by keyboard, and with hostile names."""

import os
import re
from pathlib import Path
from typing import Any

import pytest

from oratory.web.views import views
from tests.execution.training import LM
from tests.web.conftest import EVIL, Kept, Server, Tab

VIEWS = [view.name for view in views()]
PHONE = {"viewport": {"width": 390, "height": 844}}


def _fill_attention(page: Any) -> None:
    page.wait_for_selector("#heads button")
    page.locator("#lens").click()
    page.wait_for_selector("table.lens")
    page.locator("#row button").nth(2).hover()


def _fill_language(page: Any) -> None:
    page.get_by_role("button", name="One token").click()
    page.wait_for_selector("#next button")
    page.locator(".chips button").nth(2).hover()


def _fill_classifier(page: Any) -> None:
    page.get_by_label("A text", exact=True).fill("We will go on 3 times.")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#answer:not([hidden]) .class")
    page.get_by_role("button", name="Which tokens mattered?").click()
    page.wait_for_selector("#tokens .way")
    page.locator(".matrix td button").first.click()


def _fill_hand(page: Any) -> None:
    page.get_by_role("button", name="Select 0").click()
    page.wait_for_selector("#answer .done")


def _fill_data(page: Any) -> None:
    option = page.locator("#corpus option").filter(has_text="img src").first.get_attribute("value")
    page.get_by_label("Corpus").select_option(option)
    page.locator("#leak-list button").first.click()
    page.get_by_role("button", name="Measure the baselines").click()
    page.wait_for_selector("#baselines table")


FILLED = {
    "attention": _fill_attention,
    "language": _fill_language,
    "classifier": _fill_classifier,
    "hand": _fill_hand,
    "data": _fill_data,
}
"""What makes a view show all that it has."""


def opened(browser: Any, server: Server, path: str, **options: Any) -> Tab:
    tab = Tab(browser, **options)
    tab.page.goto(f"{server.home}{path}")
    tab.page.wait_for_timeout(500)
    return tab


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_is_quiet_offline_and_fits_a_phone(browser: Any, server: Server, name: str) -> None:
    papers = set()
    for scheme in ("light", "dark"):
        tab = opened(browser, server, f"/{name}", color_scheme=scheme, **PHONE)
        assert tab.complaints == []
        assert all(url.startswith((server.home, "blob:", "data:")) for url in tab.asked)
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
        papers.add(tab.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(papers) == 2


@pytest.mark.parametrize("name", VIEWS)
def test_axe_finds_nothing_serious(browser: Any, server: Server, name: str) -> None:
    axe = os.environ.get("ORATORY_AXE")
    if not axe:
        pytest.skip("axe-core is not here: ORATORY_AXE names its axe.min.js")
    for scheme in ("light", "dark"):
        tab = opened(browser, server, f"/{name}", color_scheme=scheme, bypass_csp=True)
        if name in FILLED:
            FILLED[name](tab.page)
            tab.page.wait_for_timeout(300)
        tab.page.add_script_tag(content=Path(axe).read_text())
        found = tab.page.evaluate("axe.run()")["violations"]
        serious = [each for each in found if each["impact"] in ("serious", "critical")]
        assert not serious, [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in serious]


def test_axe_on_runs_and_comparisons(browser: Any, server: Server, trained: Kept) -> None:
    for path in (f"runs/{trained.classifier}", f"comparisons/{trained.comparison}"):
        test_axe_finds_nothing_serious(browser, server, path)


def test_markup_in_names_is_shown_and_never_run(browser: Any, server: Server, trained: Kept) -> None:
    for path in (
        "/runs?group=none",
        f"/runs/{trained.classifier}",
        f"/runs/{trained.lm}",
        "/comparisons",
        f"/comparisons/{trained.comparison}",
        "/train",
        f"/runs?where={EVIL}",
    ):
        tab = opened(browser, server, path)
        tab.page.wait_for_timeout(300)
        refused = [each for each in tab.complaints if "400" not in each]
        assert refused == [], path
        assert tab.page.locator("img:not(figure img)").count() == 0, path
    assert EVIL.replace("=x", "").replace("=alert", "") in opened(
        browser, server, f"/comparisons/{trained.comparison}"
    ).page.inner_text("main")


def test_by_keyboard_alone(browser: Any, server: Server) -> None:
    page = opened(browser, server, "/runs").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "where"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus must be seen"
    page.keyboard.type("task=lm")
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs?where=task%3Dlm*")
    assert page.locator("tbody tr").count() == 1
    assert "oratory runs list task=lm --group" in page.inner_text("#command")
    page.locator("tbody a").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/of/*")
    assert page.locator("figure svg").count() >= 1


def test_looks_stay_from_page_to_page(browser: Any, server: Server) -> None:
    page = opened(browser, server, "/runs", color_scheme="light").page
    size = page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
    page.get_by_role("button", name="Large type").click()
    page.get_by_role("button", name="Colours").click()
    page.get_by_role("button", name="Colours: light").click()
    page.goto(f"{server.home}/comparisons")
    assert page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") > 1.3 * size
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    assert page.get_by_role("button", name="Large type").get_attribute("aria-pressed") == "true"


def test_pictures_are_drawn_in_the_colours_of_the_page(browser: Any, server: Server, trained: Kept) -> None:
    for scheme in ("light", "dark"):
        tab = opened(browser, server, f"/comparisons/{trained.comparison}", color_scheme=scheme)
        ink = tab.page.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
        assert ink == tab.page.evaluate("getComputedStyle(document.body).color")
        # A line of the picture has its width: what was a style is an attribute now, and the page's rules allow it.
        assert tab.page.evaluate(
            "getComputedStyle(document.querySelector('figure svg path[stroke-width]')).strokeWidth"
        )
        assert tab.complaints == []


def test_a_training_from_the_form_to_its_curves(browser: Any, server: Server, trained: Kept) -> None:
    tab = opened(browser, server, "/train")
    page = tab.page
    page.select_option("[name=task]", "lm")
    corpus = next(option for option in page.locator("[name=data] option").all_inner_texts() if "sotu" not in option)
    page.select_option("[name=data]", label=corpus)
    assert page.locator("[name=pool]").is_hidden(), "a language model pools nothing"
    page.fill("[name=layers]", "many")
    page.wait_for_selector("#checked.wrong")
    assert "layers" in page.inner_text("#checked")
    assert page.locator("#start").is_disabled()
    for name, value in (LM | {"train.iterations": "40"}).items():
        field = page.locator(f"[name='{name}']")
        if not field.is_visible():
            page.locator("details", has=field).locator("summary").first.click()
        field.fill(value)
    page.wait_for_selector("#checked:not(.wrong)")
    page.wait_for_function("document.getElementById('command').textContent.includes('train.iterations=40')")
    link = page.url
    again = opened(browser, server, link.removeprefix(server.home))
    assert again.page.input_value("[name=layers]") == "1", "the link restores the form"
    page.wait_for_function("!document.getElementById('start').disabled")
    page.locator("#start").press("Enter")
    page.wait_for_url("**/jobs#job-*")
    page.wait_for_selector(".card .status:text-is('done')", timeout=180_000)
    page.locator(".card .links a").first.click()
    page.wait_for_url(re.compile("/runs/lm-"))
    page.wait_for_selector("#baselines table", timeout=120_000)
    assert page.locator("figure svg").count() >= 2
    assert [each for each in tab.complaints if "400" not in each] == []
