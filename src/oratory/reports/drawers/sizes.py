"""A figure against the size of train."""

from typing import Any

from oratory.pictures import SizeCurves
from oratory.reports.canvas import INK, MARKERS, again, colour, drawing, legend, log_axis
from oratory.reports.drawers import figure_of

_BASELINE_MARKERS = ("x", "+", "1", "2", "3", "4")


@figure_of.register
def size_curves(picture: SizeCurves) -> Any:
    """Variants as lines with intervals, baselines as dashed lines, dots for the straight lines, bands for crossings."""
    figure, axes = drawing(height=3.8)
    axes.set_xscale("log")
    drawn: dict[str, Any] = {}
    colours: dict[str, str] = {}
    for at, (name, (xs, marks)) in enumerate(picture.variants.items()):
        look: Any = {"color": colour(at), "marker": again(MARKERS, at), "linewidth": 1.6}
        colours[name] = colour(at)
        for x, mark in zip(xs, marks, strict=True):
            if mark.interval is not None:
                axes.plot([x, x], mark.interval, color=colour(at), linewidth=1.2, marker="_", markersize=5)
        [drawn[name]] = axes.plot(xs, [mark.value for mark in marks], **look)
    for at, (name, (xs, values)) in enumerate(picture.baselines.items()):
        look = {"color": INK, "marker": _BASELINE_MARKERS[at % len(_BASELINE_MARKERS)], "linewidth": 0.9, "alpha": 0.7}
        colours[name] = INK
        [drawn[name]] = axes.plot(xs, values, linestyle="--", **look)
    for name, (xs, values) in picture.lines.items():
        axes.plot(xs, values, color=colours[name], linewidth=1, linestyle=":")
    for at, (said, (size, interval)) in enumerate(picture.crossings.items()):
        axes.axvspan(*interval, color=INK, alpha=0.12, linewidth=0)
        axes.axvline(size, color=INK, linewidth=1)
        # In the half of the plot that has more room for it.
        left = size * size < axes.get_xlim()[0] * axes.get_xlim()[1]
        axes.annotate(
            said,
            (size, 0.98 - 0.09 * at),
            xycoords=("data", "axes fraction"),
            xytext=(4 if left else -4, 0),
            textcoords="offset points",
            ha="left" if left else "right",
            va="top",
        )
    if picture.log:
        log_axis(axes)
    sizes = sorted({x for xs, _ in (*picture.variants.values(), *picture.baselines.values()) for x in xs})
    axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes])
    axes.set_xticks([], minor=True)
    axes.set_xlabel(picture.xlabel)
    axes.set_ylabel(picture.ylabel)
    legend(axes, drawn)
    return figure
