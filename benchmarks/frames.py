"""Frames each second of the attention explorer in Chromium, while a map of a long text is zoomed and moved.

`python -m benchmarks frames` starts the real server on a small decoder without an end of its positions. A frame is
one drawing of the map; frames are asked for one after the other, as fast as the browser gives them.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path

from tests.execution.training import write_corpus

from benchmarks.page import serving
from oratory.api import train
from oratory.errors import InputError
from oratory.tables import Table, number

LENGTHS = (512, 4096)
SETTINGS = {"position": "rope", "train.iterations": "4", "train.eval_every": "4"}
MOVED = """async (seconds) => {
  const views = window.views, took = [];
  const begin = performance.now();
  let last = begin, at = 0;
  while (performance.now() - begin < seconds * 1000) {
    at += 1;
    const span = views.length * (0.55 + 0.45 * Math.cos(at / 40));
    views.look({ span, left: (views.length - span) * (0.5 + 0.5 * Math.sin(at / 55)), top: (views.length - span) / 2 });
    views.point({ query: at % views.length, key: (7 * at) % views.length });
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    took.push(now - last);
    last = now;
  }
  took.sort((a, b) => a - b);
  const share = (part) => took[Math.floor(part * took.length)];
  return [took.length / ((performance.now() - begin) / 1000), share(0.5), share(0.95)];
}"""


def measure(seconds: float = 6.0) -> Table:
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        raise InputError("There is no chromium to measure frames in.")
    rows = []
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        place = Path(name)
        write_corpus(place / "corpus")
        run = train("lm", place / "corpus", SETTINGS, runs=place / "runs")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with serving(place) as (home, _):
            for length in LENGTHS:
                page = browser.new_page(viewport={"width": 1280, "height": 1000}, bypass_csp=True)
                page.goto(f"{home}/attention?run={run.id}")
                page.wait_for_selector("#heads button", timeout=60_000)
                words = ["we", "will", "go", "on", "together", "and", "the"]
                text = " ".join(words[at * at % 7] for at in range(length))
                began = time.monotonic()
                page.locator("#form textarea").first.fill(text)
                page.wait_for_function(f"window.views.length === {length}", timeout=300_000)
                page.wait_for_timeout(300)
                first = time.monotonic() - began - 0.65  # The pauses before and after.
                rate, median, slow = page.evaluate(MOVED, seconds)
                rows.append((f"{length:,} tokens", number(first, 1), number(rate), number(median, 1), number(slow, 1)))
        browser.close()
    columns = ("text", "until it is drawn, s", "frames each second", "median, ms", "95% are within, ms")
    about = (
        f"{run.config.layers} layers of {run.config.heads} heads; drawn by the processor, without a GPU; {sys.platform}"
    )
    return Table("The attention explorer in Chromium", columns, tuple(rows), note=f"{about}.")
