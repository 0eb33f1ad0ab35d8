"""One dot for each trial, against the value of one setting."""

from typing import Any

from oratory.pictures import Scatter
from oratory.reports.canvas import INK, MARKERS, again, colour, drawing, legend, wrapped
from oratory.reports.drawers import figure_of


@figure_of.register
def scatter(picture: Scatter) -> Any:
    figure, axes = drawing(height=2.6)
    drawn: dict[str, Any] = {}
    for at, (name, (xs, ys)) in enumerate(picture.points.items()):
        look = {"color": colour(at), "markeredgecolor": INK, "markersize": 6, "alpha": 0.85}
        (drawn[name],) = axes.plot(xs, ys, again(MARKERS, at), linestyle="none", **look)
    if picture.names:
        axes.set_xticks(range(len(picture.names)), [wrapped(name, 14) for name in picture.names])
        axes.set_xlim(-0.5, len(picture.names) - 0.5)
    elif picture.log:
        axes.set_xscale("log")
    axes.set_xlabel(picture.xlabel)
    axes.set_ylabel(picture.ylabel)
    legend(axes, drawn)
    return figure
