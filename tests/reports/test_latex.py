import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oratory.reports.latex import PAGEFUL, escaped, render, table
from oratory.tables import Table
from tests.reports.samples import HOSTILE, hostile

SIGNS = {
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textquotedbl": '"',
    "textasciigrave": "`",
}
FORMULAS = {"-": "−", r"\times": "×", r"\pm": "±", r"\leq": "≤", r"\geq": "≥", r"\approx": "≈"}
FORMULAS |= {r"\rightarrow": "→", r"\leftarrow": "←"}
TOKEN = re.compile(r"\\([a-zA-Z]+)\{\}|\\([{}$&#_%])|\$([^$]*)\$|\{([\[\]*',-])\}|([^\\{}$&#_%~^\[\]*]+)")


def untex(text: str) -> str:
    """What TeX would set, for the few things that we write; anything else fails."""
    at, read = 0, ""
    while at < len(text):
        found = TOKEN.match(text, at)
        assert found, f"not text: {text[at : at + 20]!r}"
        sign, special, formula, single, letters = found.groups()
        assert not letters or not re.search("--|''|,,|[<>|\"`]", letters), f"a ligature: {letters!r}"
        read += (SIGNS[sign] if sign else special) or (FORMULAS[formula] if formula else single or letters)
        at = found.end()
    return read


def environments(text: str) -> list[str]:
    """The environments in the order of their ends; every brace and every environment must close."""
    bare = re.sub(r"(?m)^%.*$", "", text)
    bare = re.sub(r"\\[\\{}$&#_%]", "", bare)
    depth = 0
    for sign in re.findall("[{}]", bare):
        depth += 1 if sign == "{" else -1
        assert depth >= 0
    assert depth == 0
    open_ones: list[str] = []
    closed = []
    for side, name in re.findall(r"\\(begin|end)\{(\w+)\}", bare):
        if side == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
            closed.append(name)
    assert not open_ones
    return closed


@given(st.text(alphabet="aB1 \\{}$&#_%~^<>|\"`'[]*-,−×±≤≥≈→←–é中\n", max_size=30))
def test_text_means_itself(text: str) -> None:
    assert untex(escaped(text)) == " ".join(text.split())


def test_control_characters_are_left_out() -> None:
    assert escaped("a\x00b\x1bc\x7f") == "abc"


def test_a_document_is_whole() -> None:
    text = render(hostile())
    closed = environments(text)
    assert closed.count("document") == 1
    assert closed[-1] == "document"
    assert text.rstrip().endswith(r"\end{document}")
    assert closed.count("tabular") == closed.count("table") == closed.count("figure") == 2
    assert {"itemize", "flushleft"} <= set(closed)
    assert "verbatim" not in closed
    assert r"\usepackage{booktabs}" in text
    assert escaped(HOSTILE) in text
    assert r"\includegraphics[width=\linewidth,height=.85\textheight,keepaspectratio]{figures/same-name-2.pdf}" in text


def test_a_table_by_itself() -> None:
    made = table(Table("A & B", ("name", "seen 551", "Δ"), (("[x]", "84.1 (80.2–87.9)", "−0.3"),), note="50% of all"))
    assert environments(made) == ["tabular", "table"]
    lines = made.split("\n")
    assert r"\begin{tabular}{@{}lrr@{}}" in lines
    assert lines[lines.index(r"\toprule") + 1 :][:4] == [
        r"name & seen 551 & Δ \\",
        r"\midrule",
        r"{[}x{]} & 84.1 (80.2–87.9) & $-$0.3 \\",
        r"\bottomrule",
    ]
    assert r"\caption{A \& B}" in lines
    assert r"50\% of all" in made


@pytest.mark.parametrize(("rows", "kind"), [(PAGEFUL - 1, "table"), (PAGEFUL, "longtable"), (0, "table")])
def test_a_long_table_goes_over_pages(rows: int, kind: str) -> None:
    made = table(Table("t", ("a", "b"), (("x", "1"),) * rows))
    assert environments(made)[-1] == kind
    assert made.count(r"x & 1 \\") == rows


def test_long_words_are_set_in_lines() -> None:
    made = table(Table("t", ("a", "b", "n"), (("word " * 20, "b", "1"),), words=2))
    assert r"{@{}>{\raggedright\arraybackslash}p{0.38\linewidth}lr@{}}" in made
