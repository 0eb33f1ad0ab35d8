"""What a study of scale shows: facts, and their tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

from oratory.comparisons.facts import ResultFacts, estimate_figures
from oratory.runs import Run, Store
from oratory.statistics import Estimate
from oratory.statistics.curves import Crossing, Line
from oratory.tables import Table, counted, number


@dataclass(frozen=True)
class SizeFacts:
    """One part of train."""

    share: float
    size: int
    """How much there is to learn from."""
    fingerprint: str


@dataclass(frozen=True)
class CurveFacts:
    """A variant or a baseline along the sizes."""

    name: str
    estimates: tuple[Estimate, ...]
    """By size; a baseline has no interval, since it has no seeds."""
    seeds: tuple[tuple[float, ...], ...]
    """The mean of each seed, by size; NaN where a run failed. Of a baseline, one value."""
    line: Line | None
    """The straight line through it, where it is straight."""
    baseline: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)
    runs: tuple[tuple[str | None, ...], ...] = ()
    """By size and seed."""


@dataclass(frozen=True)
class CrossingFacts:
    """Where one curve overtakes another."""

    below: str
    """What is better below it."""
    above: str
    crossing: Crossing


@dataclass(frozen=True, kw_only=True)
class Scale(ResultFacts):
    """Curves against the size of train; `to_dict` is what `--json` prints."""

    named_metric: bool
    noun: str
    """What is counted, such as tokens."""
    sizes: tuple[SizeFacts, ...]
    settings: Mapping[str, str]
    curves: tuple[CurveFacts, ...]
    crossings: tuple[CrossingFacts, ...]
    new_items: str
    problems: Mapping[str, str] = field(default_factory=dict)
    store: Store | None = field(default=None, compare=False, repr=False)

    def runs(self) -> list[Run]:
        """The finished runs."""
        assert self.store is not None
        return [self.store.open(run) for curve in self.curves for runs in curve.runs for run in runs if run]

    def all_runs(self) -> list[Run]:
        return self.runs()

    def sentences(self) -> list[str]:
        """Where curves cross, and how steep the straight ones are, in words."""
        said = []
        for found in self.crossings:
            low, high = (number(round(end)) for end in found.crossing.interval)
            said.append(
                f"Below {number(round(found.crossing.size))} {self.noun} take {found.below}, above it {found.above} "
                f"(95% of draws of seeds: {low} to {high})."
            )
        if not self.crossings:
            said.append("No two curves cross for certain inside the sizes that were measured.")
        for curve in self.curves:
            if curve.line is not None:
                said.append(f"{curve.name}: {self._line(curve.line)}")
        return said

    def _line(self, line: Line) -> str:
        if line.logarithmic:
            change = f"{100 * (2**line.slope - 1):+.1f}%"
        else:
            change = self.metric.show_difference(line.slope * log(2))
        fit = f"along a straight line (R² {line.explained:.3f})"
        return f"twice the text changes {self.metric.name} by {change}, {fit}."

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head("scale"),
            "size_unit": self.noun,
            "sizes": [vars(size) for size in self.sizes],
            "seeds": list(self.seeds),
            "settings": dict(self.settings),
            "curves": [self._curve(curve) for curve in self.curves],
            "crossings": [
                {
                    "below": found.below,
                    "above": found.above,
                    "size": found.crossing.size,
                    "interval": list(found.crossing.interval),
                }
                for found in self.crossings
            ],
            "sentences": self.sentences(),
            "new_items": self.new_items,
            "problems": dict(self.problems),
            "warnings": list(self.warnings),
        }

    def _curve(self, curve: CurveFacts) -> dict[str, Any]:
        return {
            "name": curve.name,
            "baseline": curve.baseline,
            "settings": dict(curve.settings),
            "runs": [list(runs) for runs in curve.runs],
            "values": [{**estimate_figures(self.metric, found), "seeds": found.seeds} for found in curve.estimates],
            "line": vars(curve.line) if curve.line else None,
        }

    def tables(self) -> list[Table]:
        columns = ("curve", *(f"{size.size:,}" for size in self.sizes))
        rows = []
        for curve in self.curves:
            shown = [self.metric.show(found.mean) for found in curve.estimates]
            rows.append((f"({curve.name})" if curve.baseline else curve.name, *shown))
            if not curve.baseline:
                ends = [self.metric.show_interval(found.interval) for found in curve.estimates]
                rows.append(("  95% interval", *ends))
        note = f"{self.metric.column.capitalize()}, by {self.noun} to learn from; {counted(len(self.seeds), 'seed')}."
        note = "\n".join([f"{note} {self.new_items}", *self.warnings, *self.sentences()])
        return [Table(f"{self.task} on {self.corpus}: {self.metric.column} by size", columns, tuple(rows), note=note)]
