"""Hostile texts in reports of every format: shown as they are, never markup, a command or a formula."""

import csv
import io
import re
from contextlib import redirect_stdout
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from xml.etree import ElementTree

from hypothesis import strategies as st

from oratory.inspect import Maps, attend
from oratory.pictures import Bars, Confusion, Curves, Differences, Mark, Picture, Points
from oratory.reports import Document, Figure, Section, draw, html, latex, markdown, pdf
from oratory.reports.maps import picture
from oratory.reports.maps_html import page
from oratory.reports.output import KINDS
from oratory.reports.svg import standalone
from oratory.reports.terminal import print_tables
from oratory.tables import Table
from tests.cli.test_terminal import OBEYED
from tests.fuzz.tried import a_folder, refused_at_most, texts, tried
from tests.inspect.small import SENTENCE, trained

HTML = {
    *("html", "head", "meta", "title", "style", "body", "header", "nav", "main", "section", "footer", "div", "figure"),
    *("figcaption", "pre", "h1", "h2", "p", "ul", "li", "a", "table", "caption", "thead", "tbody", "tr", "th", "td"),
}
SVG = {"svg", "g", "path", "text", "defs", "clippath", "use", "rect", "tspan", "lineargradient", "stop", "image"}
RDF = {"rdf:rdf", "cc:work", "dc:type", "dc:date", "dc:format", "dc:creator", "cc:agent", "dc:title"}
"""What matplotlib says of a file."""
COMMANDS = {
    *("textbackslash", "textasciitilde", "textasciicircum", "textless", "textgreater", "textbar", "textquotedbl"),
    *("textasciigrave", "times", "pm", "leq", "geq", "approx", "rightarrow", "leftarrow"),
}


class Tags(HTMLParser):
    """Every element of a page with its attributes, and the text of it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data


def check_page(text: str, known: set[str]) -> Tags:
    """Only elements of ours, no attribute that runs anything, and no link to elsewhere."""
    tags = Tags(text)
    for tag, attributes in tags.found:
        assert tag in known, tag
        for name, value in attributes.items():
            assert not name.startswith("on"), name
            if name in ("href", "xlink:href", "src"):
                assert value.startswith("#" if tag != "image" else ("#", "data:image/png;base64,")), value
    return tags


def pictures(a: str, b: str) -> list[Picture]:
    """One of each kind, with hostile names."""
    marks = [Mark(0.5, (0.1, 0.9), (0.2, 0.8)), None]
    return [
        Differences({a: Mark(0.5, (-0.1, 1.1), (0.1, 0.9)), b: Mark(1.0)}, a),
        Curves({a: ([1, 2], [[0.5, 0.4]]), b: ([1, 2], [[0.5, 0.3]])}, a, b),
        Bars([a, b], {b: marks}, a, {a: [0.1, None]}),
        Points([a, b], {b: marks}, a, {a: [0.1, None]}),
        Confusion([[1, 2], [3, 4]], [a, b]),
    ]


@st.composite
def documents(draw: st.DrawFn, drawn: bool = False) -> Document:
    """Reports; those that are not `drawn` have an empty picture, which takes no time."""
    a, b, c = draw(texts), draw(texts), draw(texts)
    table = Table(a, (b, c), ((c, "1,234.5"), (a, b), (b, a)), note=c)
    svg = draw_one(draw(st.integers(0, 4)), a, b) if drawn else EMPTY
    figure = Figure(b, svg, c)
    return Document(a, b, [Section(c, a, [b, c], [figure], [table], c), Section(b, code=a)], c)


EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt"><rect width="9" height="9"/></svg>'


def draw_one(at: int, a: str, b: str) -> str:
    with refused_at_most():
        return draw(pictures(a, b)[at])
    raise AssertionError("a picture was refused")


@tried(documents(drawn=True))
def test_html(document: Document) -> None:
    with refused_at_most():
        tags = check_page(html.render(document), HTML | SVG)
        assert " ".join(document.footer.split()) in " ".join(tags.text.split())


@tried(documents(drawn=True))
def test_svg(document: Document) -> None:
    for figure in document.figures:
        text = standalone(figure)
        check_page(text.partition("\n")[2], SVG)
        for element in ElementTree.fromstring(text).iter():
            assert element.tag.rpartition("}")[2].lower() in SVG


@tried(documents())
def test_markdown(document: Document) -> None:
    text = markdown.render(document)
    fenced = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    images = {f"figures/{figure.name}.svg" for figure in document.figures}
    plain = re.sub(r"\\.", "", fenced)
    assert "<" not in plain
    assert "`" not in plain
    assert "$" not in plain
    assert set(re.findall(r"\]\((.*?)\)", plain)) <= images


@tried(texts)
def test_latex_texts(text: str) -> None:
    made = latex.escaped(text)
    assert set(re.findall(r"\\([A-Za-z]+)", made)) <= COMMANDS
    rest = re.sub(r"\\[A-Za-z]+(\{\})?|\\[{}$&#_%]|\$-\$|\$(?=.?\$)", "", made)
    assert not set(rest) & set("\\#%&_^~"), rest
    assert re.sub(r"[^{}]", "", rest).replace("{}", "") == ""
    assert "\n" not in made


@tried(documents())
def test_latex(document: Document) -> None:
    made = latex.render(document)
    assert made.count("\\begin{document}") == made.count("\\end{document}") == 1
    for wrong in ("\\input{x}", "\\write18", "^^"):
        assert wrong not in made


@tried(documents())
def test_csv(document: Document) -> None:
    with a_folder() as folder:
        (made,) = KINDS[".csv"](document, folder / "x.csv").values()
        for row in csv.reader(io.StringIO(made.decode(), newline="")):
            for cell in row:
                begins = cell.lstrip()[:1]
                assert begins not in ("=", "@") or cell.startswith("'"), cell
                assert begins not in ("+", "-") or re.fullmatch(r"\s*[-+][-+\d.,%\s…–±×to]*", cell), cell


@tried(documents())
def test_terminal(document: Document) -> None:
    with redirect_stdout(io.StringIO()) as said, refused_at_most():
        print_tables(list(document.tables.values()), document.title)
    assert not OBEYED.search(said.getvalue())


@tried(documents())
def test_pdf(document: Document) -> None:
    with refused_at_most():
        made = pdf.render(document)
        assert made.startswith(b"%PDF")
        for wrong in (b"/JavaScript", b"/Launch", b"/URI", b"/EmbeddedFile"):
            assert wrong not in made
        for figure in document.figures:
            assert pdf.picture(figure).startswith(b"%PDF")


@cache
def _maps() -> Maps:
    return attend(trained("decoder"), SENTENCE, layer=0, head=0)


@tried(st.lists(texts, min_size=1, max_size=20), texts)
def test_attention_maps(words: list[str], name: str) -> None:
    maps = _maps()
    tokens = tuple((words * len(maps.tokens))[: len(maps.tokens)])
    hostile = replace(maps, tokens=tokens, name=name, text=" ".join(words))
    with refused_at_most():
        # The one script of the page is ours, and the policy of the page has its checksum.
        made = page(hostile)
        assert made.count("<script") == page(maps).count("<script")
        assert [tag for tag, _ in Tags(made).found] == [tag for tag, _ in Tags(page(maps)).found]
        check_page(picture(hostile, ".svg").decode().partition("\n")[2], SVG | RDF | {"metadata", "style"})
