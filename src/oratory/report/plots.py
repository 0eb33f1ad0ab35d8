"""Pictures of comparisons: learning curves, differences, accuracies and perplexities of variants beside baselines.

What is drawn is what was handed over; intervals, means and differences are computed where the facts are.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from oratory.report.figures import _BAR, _INK, PALETTE, _drawing, _legend, _lines, _svg

_DASHES = ("-", "--", ":", "-.")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_BASELINE_DASHES = ((0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)), (0, (3, 1, 1, 1, 1, 1)))


@dataclass(frozen=True)
class Mark:
    """One measured figure: its value, its 95% interval if it has one, and what each seed gave."""

    value: float
    interval: tuple[float, float] | None = None
    seeds: Sequence[float] = ()


def curves(
    series: Mapping[str, tuple[Sequence[float], Sequence[Sequence[float]]]], xlabel: str, ylabel: str, log: bool = False
) -> str:
    """Learning curves: by name the places x and, for each seed, the values there.

    The line is the mean over seeds; the band goes from the lowest seed to the highest. A seed that stopped early or
    has a value that is not finite counts only where it has one.
    """
    with _drawing() as (figure, axes):
        lines: list[Any] = []
        for at, (xs, seeds) in enumerate(series.values()):
            places, lows, means, highs = _over_seeds(xs, seeds)
            look = {"color": PALETTE[at % len(PALETTE)], "linestyle": _DASHES[at // len(PALETTE) % len(_DASHES)]}
            axes.fill_between(places, lows, highs, color=look["color"], alpha=0.22, linewidth=0)
            lines += axes.plot(places, means, linewidth=1.6, marker="o" if len(places) == 1 else "", **look)
        if log:
            _log(axes.yaxis)
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        _legend(axes, lines, list(series))
        return _svg(figure)


def differences(rows: Mapping[str, Mark], label: str, better: Literal["higher", "lower"] = "higher") -> str:
    """Each variant's difference from the baseline: mean, interval, one dot for each seed, and the line of none."""
    with _drawing(height=1.0 + 0.55 * max(len(rows), 1)) as (figure, axes):
        for at, mark in enumerate(rows.values()):
            colour = PALETTE[at % len(PALETTE)]
            axes.plot(mark.seeds, _beside(at, len(mark.seeds)), "o", color=colour, markersize=4, alpha=0.6, mew=0)
            _error(axes, mark, at, vertical=False)
            axes.plot(mark.value, at, "D", color=colour, markeredgecolor=_INK, markersize=6, zorder=4)
        axes.axvline(0, color=_INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.set_yticks(range(len(rows)), [_lines(name, 26) for name in rows])
        axes.set_ylim(max(len(rows), 1) - 0.45, -0.55)
        axes.set_xlabel(label)
        side, words = (1.0, "better →") if better == "higher" else (0.0, "← better")
        axes.set_title(words, loc="right" if side else "left", fontsize=9, pad=4)
        return _svg(figure)


def grouped(
    groups: Sequence[str],
    variants: Mapping[str, Sequence[Mark | None]],
    ylabel: str,
    baselines: Mapping[str, Sequence[float | None]] | None = None,
) -> str:
    """Bars of variants, side by side in each group (all, seen, unseen), with intervals and lines of baselines.

    Every variant and every baseline has one entry for each group, or None where there is nothing to show.
    """
    bars: dict[str, Any] = {}
    with _drawing(height=3.6) as (figure, axes):
        for at, (name, marks) in enumerate(variants.items()):
            for group, mark in enumerate(marks):
                if mark is None:
                    continue
                place, width = _place(group, at, len(variants))
                look = {"color": PALETTE[at % len(PALETTE)], "alpha": _BAR, "hatch": _hatch(at), "edgecolor": _INK}
                bars[name] = axes.bar(place, mark.value, 0.9 * width, linewidth=0, **look)
                _error(axes, mark, place)
        bars |= _baselines(axes, baselines or {})
        axes.set_xticks(range(len(groups)), [_lines(group, 26) for group in groups])
        axes.set_ylabel(ylabel)
        _legend(axes, list(bars.values()), list(bars))
        return _svg(figure)


def texts(
    names: Sequence[str],
    variants: Mapping[str, Sequence[Mark | None]],
    ylabel: str = "perplexity",
    baselines: Mapping[str, Sequence[float | None]] | None = None,
    log: bool = True,
) -> str:
    """Every test text's perplexity under each variant, with interval and seeds, beside that of the baselines."""
    drawn: dict[str, Any] = {}
    with _drawing(width=max(6.4, 0.9 * len(names) + 1), height=3.6) as (figure, axes):
        for at, (name, marks) in enumerate(variants.items()):
            colour, sign = PALETTE[at % len(PALETTE)], _MARKERS[at // len(PALETTE) % len(_MARKERS)]
            for text, mark in enumerate(marks):
                if mark is None:
                    continue
                place, width = _place(text, at, len(variants))
                seeds = len(mark.seeds)
                axes.plot(_beside(place, seeds, width), mark.seeds, "o", color=colour, markersize=3.5, alpha=0.6, mew=0)
                _error(axes, mark, place)
                [drawn[name]] = axes.plot(place, mark.value, sign, color=colour, markeredgecolor=_INK, zorder=4)
        drawn |= _baselines(axes, baselines or {})
        if log:
            _log(axes.yaxis)
        axes.set_xticks(range(len(names)), [_lines(name, 16) for name in names])
        axes.set_xlim(-0.6, len(names) - 0.4)
        axes.set_ylabel(ylabel)
        _legend(axes, list(drawn.values()), list(drawn))
        return _svg(figure)


def _over_seeds(xs: Sequence[float], seeds: Sequence[Sequence[float]]) -> tuple[list[float], ...]:
    """Places that any seed has, with the lowest, mean and highest value there."""
    found = []
    for at, x in enumerate(xs):
        values = [seed[at] for seed in seeds if at < len(seed) and math.isfinite(seed[at])]
        if values:
            found.append((x, min(values), sum(values) / len(values), max(values)))
    return tuple(list(column) for column in zip(*found, strict=True)) or ([], [], [], [])


def _baselines(axes: Any, baselines: Mapping[str, Sequence[float | None]]) -> dict[str, Any]:
    """A line for each baseline across each group that it has a value in."""
    drawn: dict[str, Any] = {}
    for at, (name, values) in enumerate(baselines.items()):
        style = _BASELINE_DASHES[at % len(_BASELINE_DASHES)]
        for group, value in enumerate(values):
            if value is not None:
                drawn[name] = axes.hlines(
                    value, group - 0.46, group + 0.46, color=_INK, linestyle=style, linewidth=1.3, zorder=3
                )
    return drawn


def _error(axes: Any, mark: Mark, at: float, vertical: bool = True) -> None:
    """The interval as a line; it need not have the value in its middle, nor in it."""
    if mark.interval is None:
        return
    ends = [at, at], list(mark.interval)
    xs, ys = ends if vertical else ends[::-1]
    axes.plot(xs, ys, color=_INK, linewidth=1.4, marker="_" if vertical else "|", markersize=5, zorder=3)


def _place(group: int, at: int, count: int) -> tuple[float, float]:
    """Where the mark of one of several variants stands in its group, and how much room it has."""
    width = 0.8 / count
    return group + (at - (count - 1) / 2) * width, width


def _beside(middle: float, count: int, room: float = 0.5) -> list[float]:
    """Places around a middle for so many seeds, always the same."""
    if count < 2:
        return [middle] * count
    return [middle + room * 0.5 * (at / (count - 1) - 0.5) for at in range(count)]


def _hatch(at: int) -> str:
    """The second round of colours is told from the first by its strokes."""
    return ("", "//", "..", "xx")[at // len(PALETTE) % 4]


def _log(axis: Any) -> None:
    """Logarithmic, with the figures written out."""
    axis.axes.set_yscale("log")
    axis.set_major_formatter(_plain)
    axis.set_minor_formatter(_plain)


def _plain(value: float, _: object) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"
