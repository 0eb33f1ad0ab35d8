"""Curves along training: the mean over seeds as a line, and a band from the lowest seed to the highest."""

import math
from collections.abc import Sequence
from typing import Any

from oratory.pictures import Curves, ReferenceCurves
from oratory.reports.canvas import DASHES, MARKERS, again, colour, drawing, legend, log_axis
from oratory.reports.drawers import figure_of


@figure_of.register
def curves(picture: Curves) -> Any:
    figure, axes = drawing()
    drawn = {
        name: _curve(axes, at, *values, alone="o", always=picture.dots)
        for at, (name, values) in enumerate(picture.series.items())
    }
    if picture.dots:
        axes.set_xticks(sorted({x for xs, _ in picture.series.values() for x in xs}))
    if picture.log:
        log_axis(axes)
    axes.set_xlabel(picture.xlabel)
    axes.set_ylabel(picture.ylabel)
    legend(axes, drawn)
    return figure


@figure_of.register
def reference_curves(picture: ReferenceCurves) -> Any:
    figure, axes = drawing()
    drawn: dict[str, Any] = {}
    for at, (name, values) in enumerate(picture.series.items()):
        drawn[name] = _curve(axes, at, *values, alone=".")
        if name in picture.points:
            # Hollow, and each smaller than the one before: marks on top of each other can all be seen.
            look = {"marker": MARKERS[at % len(MARKERS)], "markersize": max(4.0, 9.0 - 2.5 * at), "linestyle": ""}
            [drawn[f"{name}, reference"]] = axes.plot(
                *picture.points[name], color="none", markeredgecolor=colour(at), markeredgewidth=1.5, zorder=4, **look
            )
    if picture.log:
        log_axis(axes)
    axes.set_xlabel(picture.xlabel)
    axes.set_ylabel(picture.ylabel)
    legend(axes, drawn)
    return figure


def _curve(
    axes: Any, at: int, xs: Sequence[float], seeds: Sequence[Sequence[float]], alone: str, always: bool = False
) -> Any:
    """Draw one curve and its band; a single place, or with `always` every place, has a dot."""
    places, lows, means, highs = over_seeds(xs, seeds)
    axes.fill_between(places, lows, highs, color=colour(at), alpha=0.22, linewidth=0)
    dot = alone if always or len(places) == 1 else ""
    look = {"color": colour(at), "linestyle": again(DASHES, at)}
    [line] = axes.plot(places, means, linewidth=1.6, marker=dot, **look)
    return line


def over_seeds(xs: Sequence[float], seeds: Sequence[Sequence[float]]) -> tuple[list[float], ...]:
    """The places where any seed has a value, with the lowest, mean and highest value there."""
    found = []
    for at, x in enumerate(xs):
        values = [seed[at] for seed in seeds if at < len(seed) and math.isfinite(seed[at])]
        if values:
            found.append((x, min(values), sum(values) / len(values), max(values)))
    return tuple(list(column) for column in zip(*found, strict=True)) or ([], [], [], [])
