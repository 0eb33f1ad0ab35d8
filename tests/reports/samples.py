"""A document that tries to be more than text, for every renderer."""

from oratory.pictures import Differences, Mark
from oratory.reports import Document, Figure, Section, draw
from oratory.tables import Table

HOSTILE = (
    "#let x = 1 *bold* _em_ $a^2$ \\ \\end{document} <script>alert(1)</script> \"q\" 's' ''t'' `code` "
    "[l](http://127.0.0.1:9/) {b} ~ % & &amp; | -- --- – — … ← Ελληνικά Кириллица"
)


def picture() -> str:
    """A picture with a clip path, markers and text in it."""
    rows = {HOSTILE: Mark(0.5, (-0.1, 1.1), (0.1, 0.9)), "two": Mark(1.0, (0.5, 1.5), (1.0,))}
    return draw(Differences(rows, HOSTILE))


def hostile() -> Document:
    table = Table(HOSTILE, ("name", HOSTILE), (("[first]", "1,234.5"), (HOSTILE, "–"), ("*star", "−3")), note=HOSTILE)
    figures = [Figure("Same Name!", picture(), HOSTILE), Figure("same name", picture(), "Two.")]
    code = "oratory compare a=b\n    --seeds 10 \\end{verbatim} ``` <b>\n\n```\n#let y"
    return Document(
        HOSTILE,
        HOSTILE,
        [
            Section(HOSTILE, HOSTILE, [HOSTILE, "- a list", "1. a number", "[x] a task"], figures, [table, table]),
            Section("How to repeat it", code=code),
        ],
        HOSTILE,
    )
