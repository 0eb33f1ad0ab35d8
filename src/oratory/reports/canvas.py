"""The one canvas that every picture is drawn on: style, colours, legend, axes, and saving.

The colours are those of Okabe and Ito, which colour-blind people can tell apart. Text stays text. On a page it takes
the colour of the text around it, so that one picture serves on light and on dark paper.
"""

import io
import re
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from oratory.errors import InputError

PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
DASHES = ("-", "--", ":", "-.")
MARKERS = ("o", "s", "^", "D", "v", "P")
HATCHES = ("", "//", "..", "xx")

INK = "#010203"
"""A placeholder for the colour of text and axes; on a page it becomes the colour of the page's text."""

FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""Characters that a text may hold, and XML may not."""

LONG = 8
"""From this ratio of its ends on, a logarithmic axis has numbers enough at 1, 2 and 5."""

BAR = 0.75
"""The opacity of bars: lines on them can be seen, both on light and on dark paper."""

_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "oratory",
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "text.parse_math": False,  # A dollar sign in a name is a dollar sign.
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}
# Without a date, the same picture always gives the same file.
_METADATA: Any = {".svg": {"Date": None}, ".png": {}, ".pdf": {"CreationDate": None}}


@contextmanager
def style() -> Iterator[None]:
    """Our style, for drawing and for saving; matplotlib's own settings are restored at the end."""
    import matplotlib

    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        # Text stays text: a letter that our font lacks is drawn with a font of the reader.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        yield


def sheet(width: float, height: float) -> Any:
    """An empty figure of this size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def drawing(width: float = 6.4, height: float = 3.4) -> tuple[Any, Any]:
    """A figure of this size in inches, and its axes."""
    figure = sheet(width, height)
    return figure, figure.add_subplot()


def colour(at: int) -> str:
    """The colour of the variant at this place."""
    return PALETTE[at % len(PALETTE)]


def again(choices: Sequence[str], at: int) -> str:
    """The dashes, marker or hatch of the variant at this place: another one whenever the colours start again."""
    return choices[at // len(PALETTE) % len(choices)]


def legend(axes: Any, drawn: Mapping[str, Any]) -> None:
    """A legend above the axes, in as many columns as fit."""
    # Handles are given explicitly: matplotlib leaves out labels that start with an underscore.
    labels = [wrapped(label, 40) for label in drawn]
    longest = max((len(line) for label in labels for line in label.split("\n")), default=1)
    columns = max(1, min(4, 80 // (longest + 7)))
    axes.legend(list(drawn.values()), labels, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns)


def wrapped(name: str, width: int, hyphens: bool = False) -> str:
    """A name in at most three lines: a longer one would leave no room for the picture. It may break at hyphens."""
    # The name of a file may hold characters that cannot be written as UTF-8; they become question marks.
    name = name.encode("utf-8", "replace").decode()
    return "\n".join(textwrap.wrap(name, width, max_lines=3, placeholder=" …", break_on_hyphens=hyphens))


def visible(token: str) -> str:
    """A token as it is shown: signs for white space, and nothing that cannot be printed or that XML forbids."""
    token = token.replace("\r", "").replace("\n", "⏎").replace("\t", "→").strip(" ") or "␣"
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in token)


def rows(axes: Any, names: Sequence[str], margin: float) -> None:
    """Name the rows of a picture, from top to bottom, and draw the vertical line of no difference."""
    axes.axvline(0, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 1 + margin, -margin)


def log_axis(axes: Any) -> None:
    """Make the y axis logarithmic, with numbers written out; on a long one only 1, 2 and 5 of each power of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axes.set_yscale("log")
    low, high = axes.get_ylim()
    few = high > LONG * low
    axes.yaxis.set_major_formatter(_plain)
    axes.yaxis.set_minor_formatter(NullFormatter() if few else _plain)
    if few:
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))


def save(figure: Any, kind: str = "", dpi: int = 150) -> bytes:
    """A drawn figure as a file (`.svg`, `.png`, `.pdf`) or, without a kind, as an SVG element for a page."""
    file = kind or ".svg"
    buffer = io.BytesIO()
    figure.savefig(buffer, format=file.removeprefix("."), dpi=dpi, transparent=not kind, metadata=_METADATA[file])
    return buffer.getvalue() if kind else _element(buffer.getvalue().decode()).encode()


def kind_of(path: Path, kinds: Sequence[str]) -> str:
    """The ending of a file's name, in small letters; it must be one of these kinds."""
    if path.suffix.lower() not in kinds:
        raise InputError(f"{path} must end in {', '.join(kinds[:-1])} or {kinds[-1]}.")
    return path.suffix.lower()


def _element(file: str) -> str:
    drawn = file[file.index("<svg") :]
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
    # A style element would apply to the whole page; attributes of the picture are inherited just as well.
    drawn = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", drawn, count=1, flags=re.DOTALL)
    drawn = drawn.replace("<svg ", '<svg style="stroke-linejoin: round; stroke-linecap: butt" ', 1)
    return FORBIDDEN.sub("", drawn).replace(INK, "currentColor").rstrip()


def _plain(value: float, _: object) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"
