"""Pictures of a classifier: which labels it confuses, and whether its confidence can be trusted."""

from typing import Any

from oratory.pictures import Confusion, Reliability
from oratory.reports.canvas import INK, PALETTE, drawing, wrapped
from oratory.reports.drawers import figure_of


@figure_of.register
def confusion(picture: Confusion) -> Any:
    """Counts in cells, shaded by their share of the row."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    from oratory.reports.ramp import shade

    labels = [wrapped(label, 20) for label in picture.labels]
    size = len(labels)
    side = min(0.8, max(0.42, 7.0 / max(size, 1)))
    figure, axes = drawing(max(3.6, 2.0 + side * size), max(2.6, 1.4 + 0.8 * side * size))
    letters: Any = {"ha": "center", "va": "center", "fontsize": 9 if size < 12 else 7}
    cells: list[Any] = []
    for row, counts in enumerate(picture.matrix):
        total = sum(counts)
        for column, count in enumerate(counts):
            paper, ink = shade(count / total if total else 0.0)
            cells.append(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=paper, edgecolor=paper, linewidth=0.6))
            said = axes.text(column, row, _count(count), color=ink, **letters)
            said.set_in_layout(False)  # It is inside the axes, and measuring it takes most of the time.
    axes.add_collection(PatchCollection(cells, match_original=True), autolim=False)
    axes.set_xlim(-0.5, max(size, 1) - 0.5)
    axes.set_ylim(max(size, 1) - 0.5, -0.5)
    turn = {"rotation": 45, "ha": "right"} if max(map(len, picture.labels), default=0) * size > 40 else {}
    axes.set_xticks(range(size), labels, **turn)
    axes.set_yticks(range(size), labels)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("predicted")
    axes.set_ylabel("true")
    return figure


@figure_of.register
def reliability(picture: Reliability) -> Any:
    """On the diagonal, accuracy equals confidence. Bars are 95% Wilson intervals; a dot's area grows with its items."""
    from oratory.baselines.share import Share

    filled = [(confidence, Share(hits, items)) for confidence, hits, items in picture.bins if items]
    most = max((share.items for _, share in filled), default=1)
    figure, axes = drawing(4.6, 4.2)
    axes.plot([0, 1], [0, 1], color=INK, linewidth=1, linestyle=(0, (4, 3)))
    for confidence, share in filled:
        axes.plot([confidence] * 2, share.interval, color=INK, linewidth=1.2, marker="_", markersize=5)
        area = 14 + 130 * share.items / most
        axes.scatter(confidence, share.value, area, color=PALETTE[0], edgecolor=INK, linewidth=0.6, zorder=3)
    axes.set_xlim(0, 1.02)
    axes.set_ylim(0, 1.02)
    axes.set_aspect("equal")
    axes.set_xlabel("confidence")
    axes.set_ylabel("accuracy")
    axes.text(0.03, 0.97, "underconfident", va="top", fontsize=8)
    axes.text(0.99, 0.03, "overconfident", ha="right", fontsize=8)
    return figure


def _count(count: float) -> str:
    return f"{count:,.0f}" if float(count).is_integer() else f"{count:.2f}"
