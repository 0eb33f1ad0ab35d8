"""Pictures of a reproduction: ours beside what a report published.

What is drawn is what was handed over; intervals and places are computed where the facts are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from oratory.report.figures import _INK, PALETTE, _drawing, _legend, _lines, _svg
from oratory.report.plots import _DASHES, _MARKERS, _log, _over_seeds

REFERENCE = "reference"


@dataclass(frozen=True)
class Beside:
    """One figure: where the reference, the interval of our mean and one new seed lie, from our mean and in one unit."""

    reference: float
    interval: tuple[float, float] | None
    prediction: tuple[float, float] | None
    comparable: bool = True


def along(
    series: Mapping[str, tuple[Sequence[float], Sequence[Sequence[float]]]],
    points: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    xlabel: str,
    ylabel: str,
    log: bool = False,
) -> str:
    """Curves of ours, mean and band over seeds as in other learning curves, and the points that a report gives."""
    with _drawing() as (figure, axes):
        drawn: dict[str, Any] = {}
        for at, (name, (xs, seeds)) in enumerate(series.items()):
            places, lows, means, highs = _over_seeds(xs, seeds)
            colour, line = PALETTE[at % len(PALETTE)], _DASHES[at // len(PALETTE) % len(_DASHES)]
            axes.fill_between(places, lows, highs, color=colour, alpha=0.22, linewidth=0)
            alone = "." if len(places) == 1 else ""
            [drawn[name]] = axes.plot(places, means, linewidth=1.6, color=colour, linestyle=line, marker=alone)
            if name in points:
                # Empty and each smaller than the one before, so that marks on one another can all be seen.
                look = {"marker": _MARKERS[at % len(_MARKERS)], "markersize": max(4.0, 9.0 - 2.5 * at), "linestyle": ""}
                [drawn[f"{name}, {REFERENCE}"]] = axes.plot(
                    *points[name], color="none", markeredgecolor=colour, markeredgewidth=1.5, zorder=4, **look
                )
        if log:
            _log_few(axes)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        _legend(axes, list(drawn.values()), list(drawn))
        return _svg(figure)


def beside(rows: Mapping[str, Beside], label: str) -> str:
    """For each figure, from our mean: the interval of the mean, where one new seed would lie, and the reference.

    A reference that cannot be compared is an empty mark.
    """
    drawn: dict[str, Any] = {}
    with _drawing(height=1.3 + 0.36 * max(len(rows), 1)) as (figure, axes):
        for at, row in enumerate(rows.values()):
            if row.prediction:
                [drawn["one new seed, 95%"]] = axes.plot(
                    row.prediction, [at, at], color=PALETTE[0], linewidth=6, alpha=0.3, solid_capstyle="butt"
                )
            if row.interval:
                [drawn["our mean, 95%"]] = axes.plot(row.interval, [at, at], color=PALETTE[0], linewidth=2.2)
            name = REFERENCE if row.comparable else "not comparable"
            filling = PALETTE[5] if row.comparable else "none"
            [drawn[name]] = axes.plot(
                row.reference, at, "D", color=filling, markeredgecolor=PALETTE[5], markersize=6, zorder=4, linestyle=""
            )
        axes.axvline(0, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.set_yticks(range(len(rows)), [_lines(name, 40) for name in rows])
        axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)
        axes.set_xlabel(label)
        # Over the whole picture: long names leave too little room above the axes.
        figure.legend(list(drawn.values()), list(drawn), loc="outside upper center", ncols=2)
        return _svg(figure)


def _log_few(axes: Any) -> None:
    """Logarithmic, with figures at 1, 2 and 5 only: from an untrained model to a trained one is a long way."""
    from matplotlib.ticker import LogLocator, NullFormatter

    _log(axes.yaxis)
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_minor_formatter(NullFormatter())
