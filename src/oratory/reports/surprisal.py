"""Running text in which the background of each token shows its surprisal."""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from unicodedata import combining, east_asian_width

from oratory.errors import InputError
from oratory.files import write_text
from oratory.reports.canvas import visible
from oratory.reports.document import Document, Figure, Section
from oratory.reports.output import write
from oratory.reports.ramp import shade
from oratory.reports.svg import standalone
from oratory.training.running_text.scored import ScoredTokens

WIDTH = 640
"""The width of the picture, in its own units."""

_SIZE = 13
_CELL = 0.61 * _SIZE
"""The font size, and the width of one letter of a monospaced font."""

_PAD, _GAP, _LINE = 3.0, 2.0, 24.0
_EDGE = 4.0
_LEGEND = 34.0
_FONTS = "'DejaVu Sans Mono', Menlo, Consolas, monospace"


def surprisal(tokens: Sequence[str], values: Sequence[float | None], label: str = "surprisal, nats") -> str:
    """The text as an SVG element. A token without a value (None or NaN) has no colour."""
    top = _top(values)
    parts = [_scale(top, label)]
    x, y = _EDGE, _LEGEND
    for token, value in zip(tokens, values, strict=True):
        for piece in _pieces(visible(token)):
            wide = _cells(piece) * _CELL + 2 * _PAD
            if x + wide > WIDTH - _EDGE and x > _EDGE:
                x, y = _EDGE, y + _LINE
            parts.append(_chip(piece, value, top, x, y, wide))
            x += wide + _GAP
        if token.endswith("\n"):
            x, y = _EDGE, y + _LINE
    height = y + _LINE
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:g}" viewBox="0 0 {WIDTH} {height:g}"'
    )
    return f'{head} font-family="{_FONTS}" font-size="{_SIZE}">{"".join(parts)}</svg>'


def write_surprisal(path: Path, scored: Sequence[object]) -> tuple[Path, ...]:
    """Write scored texts as one picture (`.svg`), or as a report of any kind with one picture for each text."""
    texts = [entry for entry in scored if isinstance(entry, ScoredTokens)]
    if len(texts) < len(scored):
        raise InputError(
            f"{path} cannot be drawn: what was scored has no surprisal for each token. --why says which tokens "
            "mattered, and .csv or .parquet is a table."
        )
    if path.suffix.lower() == ".svg":
        ends = [token for text in texts for token in (*text.tokens[:-1], f"{text.tokens[-1]}\n")]
        values = [value for text in texts for value in text.surprisal]
        drawn = surprisal(ends if len(texts) > 1 else texts[0].tokens, values)
        write_text(path, standalone(Figure("surprisal", drawn, "; ".join(map(_about, texts)))))
        return (path,)
    sections = [
        Section(
            f"Text {number}",
            text.text,
            figures=[Figure(f"surprisal-{number}", surprisal(text.tokens, text.surprisal), _about(text))],
        )
        for number, text in enumerate(texts, 1)
    ]
    lead = "The darker a token, the less the model expected it."
    return write(Document("Surprisal of every token", lead, sections), path)


def _about(text: ScoredTokens) -> str:
    return f"Run {text.run}. {text.summary}"


def _chip(piece: str, value: float | None, top: float, x: float, y: float, wide: float) -> str:
    colours = _colours(value, top)
    box = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{_LINE - 4:g}" rx="2" fill="{colours[0]}"/>'
        if colours
        else ""
    )
    ink = colours[1] if colours else "currentColor"
    # The length is given because text in another font could run into the next token.
    length = f'textLength="{wide - 2 * _PAD:.1f}" lengthAdjust="spacingAndGlyphs"' if piece else ""
    text = f'<text x="{x + _PAD:.1f}" y="{y + 14.5:.1f}" fill="{ink}" {length}>{escape(piece)}</text>'
    return f"<g>{f'<title>{_said(value)}</title>' if colours else ''}{box}{text}</g>"


def _scale(top: float, label: str) -> str:
    """The legend: the scale, its two ends and its label."""
    steps, wide, left = 24, 6.0, _EDGE + 14
    boxes = ""
    for at in range(steps):
        place = f'x="{left + at * wide:g}" y="6" width="{wide + 0.5:g}" height="12"'
        boxes += f'<rect {place} fill="{shade(at / (steps - 1))[0]}"/>'
    end = left + steps * wide + 6
    words = (
        f'<text x="{_EDGE:g}" y="16" font-size="11" fill="currentColor">0</text>'
        f'<text x="{end:g}" y="16" font-size="11" fill="currentColor">{top:g}  {escape(label)}</text>'
    )
    return boxes + words


def _top(values: Sequence[float | None]) -> float:
    """The end of the scale: the largest value, rounded up to a whole number."""
    largest = max((value for value in values if value is not None and math.isfinite(value)), default=0.0)
    return float(max(1, math.ceil(largest)))


def _colours(value: float | None, top: float) -> tuple[str, str] | None:
    if value is None or math.isnan(value):
        return None
    return shade(value / top)


def _said(value: float | None) -> str:
    return f"{value:.2f}"


def _pieces(token: str) -> list[str]:
    """The token, in pieces that each fit on a line."""
    most = int((WIDTH - 2 * _EDGE - 2 * _PAD) / _CELL / 2)
    return [token[at : at + most] for at in range(0, len(token), most)]


def _cells(text: str) -> int:
    """The width of a text in letters: wide East Asian letters count twice, combining marks do not count."""
    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)
