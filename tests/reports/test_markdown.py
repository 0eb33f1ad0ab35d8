import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from oratory.reports.markdown import escaped, render, table
from oratory.tables import Table
from tests.reports.samples import HOSTILE, hostile

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def plain(token: Token) -> str:
    """What a reader sees of a run of text, if it is nothing but text."""
    assert {child.type for child in token.children or ()} <= {"text", "text_special"}, token.content
    return "".join(child.content for child in token.children or ())


def inlines(text: str) -> list[Token]:
    return [token for token in READER.parse(text) if token.type == "inline"]


@given(st.text(alphabet="aB1 *_`~<>[]()!#|\\$&;:-+=.{}\"'\t\n/@–é中", max_size=30))
def test_text_means_itself(text: str) -> None:
    wanted = " ".join(text.split())
    for made in (escaped(text), f"- {escaped(text)}", f"# {escaped(text)}"):
        tokens = [token for token in READER.parse(made) if token.type == "inline" and token.content]
        assert "".join(map(plain, tokens)) == wanted


@given(st.text(alphabet="a *_`|\\<-:$", max_size=12))
def test_a_cell_stays_one_cell(text: str) -> None:
    made = inlines(table(Table("t", ("name", text), ((text, "1"),))))[1:]
    assert [plain(token) for token in made] == ["name", " ".join(text.split()), " ".join(text.split()), "1"]


def test_entities_are_not_read() -> None:
    [token] = inlines(escaped(HOSTILE))
    assert plain(token) == HOSTILE


def test_figures_are_to_the_right() -> None:
    assert "| :-- | :-- | --: |" in table(Table("t", ("a", "b", "c"), (), words=2))


def test_nothing_in_a_document_is_more_than_text() -> None:
    text = render(hostile())
    tokens = READER.parse(text)
    assert not [token for token in tokens if token.type == "html_block"]
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "image", "softbreak"}
    pictures = [child for token in tokens for child in token.children or () if child.type == "image"]
    assert [picture.attrs["src"] for picture in pictures] == ["figures/same-name.svg", "figures/same-name-2.svg"]
    assert pictures[0].content == escaped(HOSTILE)
    [code] = [token for token in tokens if token.type == "fence"]
    assert code.content == "oratory compare a=b\n    --seeds 10 \\end{verbatim} ``` <b>\n\n```\n#let y\n"
    assert sum(token.type == "table_open" for token in tokens) == 2
    assert sum(token.type == "list_item_open" for token in tokens) == 4
    assert not re.search(r"(?<!&#36;)\$", text.split("````")[0])
