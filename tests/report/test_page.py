import re
from pathlib import Path

import pytest

from oratory.baselines import measure_baselines
from oratory.report.overview import write_overview
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData, audit, describe

EVIL = "<script>document.title = 'broken in'</script><img src=http://127.0.0.1:9/x onerror=alert(1)> & “quotes”"


def page(corpus: Corpus, path: Path) -> Path:
    return write_overview(path, describe(corpus), audit(corpus), measure_baselines(corpus), "oratory demo")


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A page on texts that try to be more than text."""
    texts = (EVIL, f"{EVIL} two", "three", "four")
    data = ClassifierData(("<b>a", "b"), Labelled(texts, (0, 1, 0, 1)), None, Labelled((EVIL, "new"), (0, 1)))
    return page(Corpus("<i>evil</i>", data, LanguageData(texts, texts, {"<u>t</u>": texts})), tmp_path / "evil.html")


def test_the_page_needs_nothing_but_itself(sotu: Corpus, tmp_path: Path) -> None:
    html = page(sotu, tmp_path / "report.html").read_text()
    assert "<script" not in html
    assert not re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", html)
    for heading in ("The corpus", "The audit", "What a model must beat"):
        assert f"<h2>{heading}</h2>" in html
    assert html.count("<svg") == 2
    assert "currentColor" in html
    assert "kneser-ney-5" in html


def test_the_same_facts_make_the_same_page(sotu: Corpus, tmp_path: Path) -> None:
    assert page(sotu, tmp_path / "one.html").read_bytes() == page(sotu, tmp_path / "two.html").read_bytes()


def test_text_stays_text(evil: Path) -> None:
    html = evil.read_text()
    assert "<script" not in html
    assert "<img" not in html
    assert "<i>evil" not in html
    assert "<u>t" not in html
    assert "&lt;script&gt;" in html


def test_in_a_browser(evil: Path, sotu: Corpus, tmp_path: Path, chromium: str) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    plain = page(sotu, tmp_path / "report.html")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"]
        )
        tab = browser.new_page(viewport={"width": 400, "height": 800})
        asked: list[str] = []
        complaints: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: complaints.append(message.text))
        for path in (evil, plain):
            tab.goto(path.as_uri())
            assert tab.title().startswith("Oratory on ")
        assert asked == [evil.as_uri(), plain.as_uri()]
        assert complaints == []
        # On a telephone the tables scroll within themselves, and the page does not.
        assert tab.evaluate("document.documentElement.scrollWidth") <= 400
        drawn = [
            box for box in tab.locator("figure svg").all() if (found := box.bounding_box()) and found["width"] > 200
        ]
        assert len(drawn) == 2
        papers = set()
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            papers.add(tab.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert len(papers) == 2
        browser.close()
