import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from oratory.reports import Document, Figure, Section, html, write
from oratory.reports.overview import overview
from oratory.text import ClassifierData, Corpus, Labelled, LanguageData, audit, describe
from oratory.training.baselines import measure_baselines
from tests.reports.samples import HOSTILE, hostile

EVIL = "<script>document.title = 'broken in'</script><img src=http://127.0.0.1:9/x onerror=alert(1)> & “quotes”"


def page(corpus: Corpus, path: Path) -> Path:
    document = overview(describe(corpus), audit(corpus), measure_baselines(corpus), "oratory demo")
    return write(document, path)[0]


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


@pytest.mark.parametrize("made", ["evil", "hostile"])
def test_text_stays_text(made: str, request: pytest.FixtureRequest) -> None:
    text = request.getfixturevalue("evil").read_text() if made == "evil" else html.render(hostile())
    assert "<script" not in text
    assert "<img" not in text
    assert "<i>evil" not in text
    assert "<u>t" not in text
    assert "&lt;script&gt;" in text


def test_no_picture_takes_the_ids_of_another() -> None:
    text = html.render(hostile())
    ids = re.findall(r'\sid="([^"]+)"', text)
    assert [name for name, count in Counter(ids).items() if count > 1] == []
    pointers = re.findall(r'(?:href="#|url\(#)([^")]+)', text)
    assert len([name for name in pointers if "__" in name]) > 10
    assert set(pointers) <= set(ids)


def test_what_a_picture_says_about_ids_is_left_alone() -> None:
    said = 'see id="x" and url(#x)'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" role="none"><g id="x"/><use href="#x"/><text>{said}</text></svg>'
    text = html.render(Document("", "", [Section("", figures=[Figure("name", svg, 'a "caption"')])]))
    assert said in text
    assert '<g id="name__x"/><use href="#name__x"/>' in text
    assert '<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="a &quot;caption&quot;">' in text


def test_a_picture_is_still_sound_and_named() -> None:
    drawn = re.findall(r"<svg.*?</svg>", html.render(hostile()), flags=re.DOTALL)
    roots = [ElementTree.fromstring(svg) for svg in drawn]
    assert [root.get("aria-label") for root in roots] == [HOSTILE, "Two."]
    assert {root.get("role") for root in roots} == {"img"}


def test_the_cells_of_a_map_and_a_long_command_are_seen(tmp_path: Path, chromium: str) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    svg = f'<svg width="90" height="90"><image width="90" height="90" href="data:image/png;base64,{dot}"/></svg>'
    section = Section(
        "s", figures=[Figure("map", svg, "A map.")], code=f"oratory compare {'--set train.lr=1e-3 ' * 30}"
    )
    [path] = write(Document("T", "", [section]), tmp_path / "map.html")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page()
        complaints: list[str] = []
        tab.on("console", lambda message: complaints.append(message.text))
        tab.goto(path.as_uri())
        wide, room = tab.evaluate("(pre => [pre.scrollWidth, pre.clientWidth])(document.querySelector('pre'))")
        browser.close()
    assert complaints == []
    assert wide == room  # A long command wraps.


def test_in_a_browser(evil: Path, sotu: Corpus, tmp_path: Path, chromium: str) -> None:
    sync_api = pytest.importorskip("playwright.sync_api")
    plain = page(sotu, tmp_path / "report.html")
    [sample] = write(hostile(), tmp_path / "sample.html")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-background-networking", "--disable-gpu"]
        )
        tab = browser.new_page(viewport={"width": 400, "height": 800})
        asked: list[str] = []
        complaints: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: complaints.append(message.text))
        for path in (evil, sample, plain):
            tab.goto(path.as_uri())
            assert tab.title() == HOSTILE if path == sample else tab.title().startswith("Oratory on ")
            # On a telephone the tables scroll within themselves, and the page does not.
            assert tab.evaluate("document.documentElement.scrollWidth") <= 400
            boxes = [figure.bounding_box() for figure in tab.locator("figure svg").all()]
            assert len(boxes) == 2
            assert all(box and 200 < box["width"] <= 400 for box in boxes)
        assert asked == [evil.as_uri(), sample.as_uri(), plain.as_uri()]
        assert complaints == []
        # Letters in the pictures go with the page from light to dark.
        seen = set()
        for scheme in ("light", "dark"):
            tab.emulate_media(color_scheme=scheme)
            paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
            ink = tab.evaluate("getComputedStyle(document.querySelector('figure svg text')).fill")
            assert ink == tab.evaluate("getComputedStyle(document.body).color")
            seen |= {paper, ink}
        assert len(seen) == 4
        browser.close()
