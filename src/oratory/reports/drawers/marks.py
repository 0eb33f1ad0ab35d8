"""Measured values as marks and bars, with intervals, seeds, baselines and published values."""

from collections.abc import Mapping, Sequence
from typing import Any

from oratory.pictures import Bars, Differences, Mark, Points, ReferenceDifferences
from oratory.reports.canvas import (
    BAR,
    HATCHES,
    INK,
    MARKERS,
    PALETTE,
    again,
    colour,
    drawing,
    legend,
    log_axis,
    rows,
    wrapped,
)
from oratory.reports.drawers import figure_of

_BASELINE_DASHES = ((0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))


@figure_of.register
def differences(picture: Differences) -> Any:
    figure, axes = drawing(height=1.0 + 0.55 * max(len(picture.rows), 1))
    for at, mark in enumerate(picture.rows.values()):
        axes.plot(mark.seeds, _beside(at, len(mark.seeds)), "o", markersize=4, **_faint(at))
        _interval(axes, mark, at, sideways=True)
        axes.plot(mark.value, at, "D", color=colour(at), markeredgecolor=INK, markersize=6, zorder=4)
    rows(axes, [wrapped(name, 26) for name in picture.rows], 0.55)
    axes.set_xlabel(picture.label)
    words, side = ("better →", "right") if picture.better == "higher" else ("← better", "left")
    axes.set_title(words, loc=side, fontsize=9, pad=4)
    return figure


@figure_of.register
def bars(picture: Bars) -> Any:
    figure, axes = drawing(height=3.6)
    drawn: dict[str, Any] = {}
    for at, (name, marks) in enumerate(picture.variants.items()):
        look = {"color": colour(at), "alpha": BAR, "hatch": again(HATCHES, at), "edgecolor": INK}
        for group, mark in enumerate(marks):
            if mark is not None:
                place, width = _place(group, at, len(picture.variants))
                drawn[name] = axes.bar(place, mark.value, 0.9 * width, linewidth=0, **look)
                _interval(axes, mark, place)
    drawn |= _baselines(axes, picture.baselines)
    axes.set_xticks(range(len(picture.groups)), [wrapped(group, 26) for group in picture.groups])
    axes.set_ylabel(picture.ylabel)
    legend(axes, drawn)
    return figure


@figure_of.register
def points(picture: Points) -> Any:
    names = picture.names
    figure, axes = drawing(width=max(6.4, 0.9 * len(names) + 1), height=3.6)
    drawn: dict[str, Any] = {}
    for at, (name, marks) in enumerate(picture.variants.items()):
        for text, mark in enumerate(marks):
            if mark is not None:
                place, width = _place(text, at, len(picture.variants))
                axes.plot(_beside(place, len(mark.seeds), width), mark.seeds, "o", markersize=3.5, **_faint(at))
                _interval(axes, mark, place)
                look = {"color": colour(at), "markeredgecolor": INK}
                [drawn[name]] = axes.plot(place, mark.value, again(MARKERS, at), zorder=4, **look)
    drawn |= _baselines(axes, picture.baselines)
    if picture.log:
        log_axis(axes)
    axes.set_xticks(range(len(names)), [wrapped(name, 12, hyphens=True) for name in names])
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylabel(picture.ylabel)
    legend(axes, drawn)
    return figure


@figure_of.register
def reference_differences(picture: ReferenceDifferences) -> Any:
    """Each row is seen from our mean; a published value that cannot be compared is a hollow mark."""
    figure, axes = drawing(height=1.3 + 0.36 * max(len(picture.rows), 1))
    drawn: dict[str, Any] = {}
    ours, theirs = PALETTE[0], PALETTE[5]
    for at, row in enumerate(picture.rows.values()):
        if row.prediction:
            look: Any = {"color": ours, "linewidth": 6, "alpha": 0.3, "solid_capstyle": "butt"}
            [drawn["one new seed, 95%"]] = axes.plot(row.prediction, [at, at], **look)
        if row.interval:
            [drawn["our mean, 95%"]] = axes.plot(row.interval, [at, at], color=ours, linewidth=2.2)
        name, fill = ("reference", theirs) if row.comparable else ("not comparable", "none")
        look = {"color": fill, "markeredgecolor": theirs, "markersize": 6, "linestyle": ""}
        [drawn[name]] = axes.plot(row.reference, at, "D", zorder=4, **look)
    rows(axes, [wrapped(name, 40) for name in picture.rows], 0.6)
    axes.set_xlabel(picture.label)
    # Above the whole picture: long names leave too little room above the axes.
    figure.legend(list(drawn.values()), list(drawn), loc="outside upper center", ncols=2)
    return figure


def _baselines(axes: Any, baselines: Mapping[str, Sequence[float | None]]) -> dict[str, Any]:
    """A line for each baseline, across each group in which it has a value."""
    drawn: dict[str, Any] = {}
    for at, (name, values) in enumerate(baselines.items()):
        look: Any = {"color": INK, "linestyle": _BASELINE_DASHES[at % len(_BASELINE_DASHES)], "linewidth": 1.3}
        for group, value in enumerate(values):
            if value is not None:
                drawn[name] = axes.hlines(value, group - 0.46, group + 0.46, zorder=3, **look)
    return drawn


def _interval(axes: Any, mark: Mark, at: float, sideways: bool = False) -> None:
    """The interval as a line. The value need not be in its middle, or inside it."""
    if mark.interval is not None:
        ends: Any = [at, at], list(mark.interval)
        look = {"color": INK, "linewidth": 1.4, "marker": "|" if sideways else "_", "markersize": 5}
        axes.plot(*(ends[::-1] if sideways else ends), zorder=3, **look)


def _faint(at: int) -> dict[str, Any]:
    """The look of the dots of single seeds."""
    return {"color": colour(at), "alpha": 0.6, "markeredgewidth": 0}


def _place(group: int, at: int, count: int) -> tuple[float, float]:
    """Where the mark of one of several variants is in its group, and how much room it has."""
    width = 0.8 / count
    return group + (at - (count - 1) / 2) * width, width


def _beside(middle: float, count: int, room: float = 0.5) -> list[float]:
    """Evenly spaced places around a middle, one for each seed."""
    if count < 2:
        return [middle] * count
    return [middle + room * 0.5 * (at / (count - 1) - 0.5) for at in range(count)]
