"""Pictures of a classifier: which labels it takes for which, and whether its confidence can be believed."""

from collections.abc import Sequence
from typing import Any

from oratory.baselines.scores import Share
from oratory.report.figures import _INK, PALETTE, _drawing, _lines, _svg

SCALE = ("#eaf2f9", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b")
"""From little to much: one hue that only darkens (Blues of ColorBrewer), so that nobody needs to tell hues apart."""

DARK = 0.65
"""From this share of the scale on, letters on it are white."""


def shade(share: float) -> tuple[str, str]:
    """The colour of a share from 0 to 1 on the scale, and the colour of letters that can be read on it."""
    place = min(max(share, 0.0), 1.0) * (len(SCALE) - 1)
    at = min(int(place), len(SCALE) - 2)
    low, high = (bytes.fromhex(colour[1:]) for colour in SCALE[at : at + 2])
    mixed = (round(a + (b - a) * (place - at)) for a, b in zip(low, high, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed), "#ffffff" if share >= DARK else "#10131a"


def confusion(matrix: Sequence[Sequence[float]], labels: Sequence[str]) -> str:
    """How often each label (a row) was taken for each (a column): counts, shaded by their share of the row."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    size = len(labels)
    side = min(0.8, max(0.42, 7.0 / max(size, 1)))
    letters = 9 if size < 12 else 7
    cells: list[Any] = []
    with _drawing(max(3.6, 2.0 + side * size), max(2.6, 1.4 + 0.8 * side * size)) as (figure, axes):
        for row, counts in enumerate(matrix):
            total = sum(counts)
            for column, count in enumerate(counts):
                paper, ink = shade(count / total if total else 0.0)
                corner = (column - 0.5, row - 0.5)
                cells.append(Rectangle(corner, 1, 1, facecolor=paper, edgecolor=paper, linewidth=0.6))
                said = axes.text(column, row, _count(count), ha="center", va="center", color=ink, fontsize=letters)
                said.set_in_layout(False)  # It stands within the axes, and measuring it takes most of the time.
        axes.add_collection(PatchCollection(cells, match_original=True), autolim=False)
        axes.set_xlim(-0.5, max(size, 1) - 0.5)
        axes.set_ylim(max(size, 1) - 0.5, -0.5)
        turn = {"rotation": 45, "ha": "right"} if max(map(len, labels), default=0) * size > 40 else {}
        axes.set_xticks(range(size), [_lines(label, 20) for label in labels], **turn)
        axes.set_yticks(range(size), [_lines(label, 20) for label in labels])
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("predicted")
        axes.set_ylabel("true")
        return _svg(figure)


def calibration(bins: Sequence[tuple[float, int, int]]) -> str:
    """A reliability diagram: for each bin its mean confidence, how many items were right, and how many there are.

    On the diagonal, confidence is accuracy. The bars are Wilson intervals of 95%; a dot's area grows with its items.
    See Guo et al. (2017), On Calibration of Modern Neural Networks.
    """
    filled = [(confidence, Share(hits, items)) for confidence, hits, items in bins if items]
    most = max((share.items for _, share in filled), default=1)
    with _drawing(4.6, 4.2) as (figure, axes):
        axes.plot([0, 1], [0, 1], color=_INK, linewidth=1, linestyle=(0, (4, 3)))
        for confidence, share in filled:
            axes.plot([confidence] * 2, share.interval, color=_INK, linewidth=1.2, marker="_", markersize=5)
            area = 14 + 130 * share.items / most
            axes.scatter(confidence, share.value, area, color=PALETTE[0], edgecolor=_INK, linewidth=0.6, zorder=3)
        axes.set_xlim(0, 1.02)
        axes.set_ylim(0, 1.02)
        axes.set_aspect("equal")
        axes.set_xlabel("confidence")
        axes.set_ylabel("accuracy")
        axes.text(0.03, 0.97, "says less than it knows", va="top", fontsize=8)
        axes.text(0.99, 0.03, "says more than it knows", ha="right", fontsize=8)
        return _svg(figure)


def _count(count: float) -> str:
    return f"{count:,.0f}" if float(count).is_integer() else f"{count:.2f}"
