"""Many differences in one picture, each with its cost beside it."""

from typing import Any

from oratory.pictures import EffectsAndCosts
from oratory.reports.canvas import BAR, INK, PALETTE, sheet
from oratory.reports.drawers import figure_of

HEIGHT = 0.2
"""Inches of a row."""


@figure_of.register
def effects_and_costs(picture: EffectsAndCosts) -> Any:
    figure = sheet(7.2, 1.1 + HEIGHT * max(len(picture.rows), 3))
    left, right = figure.subplots(1, 2, sharey=True, gridspec_kw={"width_ratios": (3, 1)})
    left.axvline(0, color=INK, linewidth=0.8)
    for at, (name, (mark, cost)) in enumerate(picture.rows.items()):
        counts = name in picture.marked
        if mark is not None:
            look = {"color": PALETTE[0] if counts else INK, "alpha": 1.0 if counts else 0.6}
            if mark.interval is not None:
                left.plot(mark.interval, (at, at), linewidth=1.2, **look)
            left.plot(mark.value, at, "D" if counts else "o", markersize=4, **look)
        if cost is not None:
            right.barh(at, cost, 0.6, color=PALETTE[1], alpha=BAR)
    left.set_yticks(range(len(picture.rows)), list(picture.rows), fontsize=7)
    left.set_ylim(len(picture.rows) - 0.4, -0.6)
    right.axvline(1, color=INK, linewidth=0.8)
    left.set_xlabel(picture.label)
    right.set_xlabel(picture.cost_label)
    words, side = ("better →", "right") if picture.better == "higher" else ("← better", "left")
    left.set_title(words, loc=side, fontsize=9, pad=4)
    return figure
