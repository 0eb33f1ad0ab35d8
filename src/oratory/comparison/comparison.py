"""What a comparison shows: facts, and the tables that they make."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oratory.comparison.matrices import BITS, Metric
from oratory.comparison.statistics import Difference, Estimate, exponential, ratio, verdict_text
from oratory.tables import Table, Tabled, number, percent

if TYPE_CHECKING:
    import pandas

BASELINE = "baseline"


@dataclass(frozen=True)
class Part:
    """A variant on all items or on some: what it scores, and how that differs from the baseline."""

    estimate: Estimate
    difference: Difference | None = None


@dataclass(frozen=True)
class VariantFacts:
    """What one variant showed."""

    name: str
    settings: Mapping[str, str]
    runs: tuple[str | None, ...]
    """By seed; None where the run failed."""
    parameters: int | None
    parts: Mapping[str, Part]
    p: float | None = None
    """After Holm, over all variants of the comparison."""
    verdict: str = BASELINE
    search: str | None = None
    """The search that chose some of the settings, where one did."""

    @property
    def whole(self) -> Part:
        return self.parts["all"]


@dataclass(frozen=True)
class Comparison(Tabled):
    """Variants x seeds and the verdicts; `to_dict` is what `--json` prints."""

    id: str
    task: str
    corpus: str
    fingerprint: str
    metric: Metric
    seeds: tuple[int, ...]
    settings: Mapping[str, str]
    variants: tuple[VariantFacts, ...]
    baselines: Mapping[str, Mapping[str, float | None]]
    problems: Mapping[str, str] = field(default_factory=dict)
    """Runs that failed, by variant and seed, and why."""

    @property
    def detectable(self) -> float | None:
        """The smallest true difference that every one of the comparisons would probably have shown."""
        known = [v.whole.difference.detectable for v in self.variants if v.whole.difference]
        found = [value for value in known if value is not None]
        return max(found) if found else None

    @cached_property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each variant, in words."""
        return {variant.name: self.verdict_text(variant) for variant in self.variants}

    def verdict_text(self, variant: VariantFacts) -> str:
        """The verdict, and what would have been seen where nothing was."""
        if variant.whole.difference is None:
            return variant.verdict
        return verdict_text(variant.whole.difference, variant.p, lambda value: self.show_difference(value, "-"))

    def show(self, value: float | None) -> str:
        """A mean as people read it."""
        if value is None:
            return "–"
        return percent(self.value(value)) if self.metric.name == "accuracy" else number(self.value(value), self.digits)

    def value(self, mean: float) -> float:
        """A mean on the scale that is shown."""
        if self.metric.logarithmic:
            return exponential(mean)
        # An interval of few items can reach beyond what a share can be.
        return min(max(mean, 0.0), 1.0) if self.metric.name == "accuracy" else mean

    @property
    def digits(self) -> int:
        return 3 if self.metric is BITS else 1

    def show_difference(self, value: float | None, sign: str = "+", unit: bool = True) -> str:
        """A difference as people read it: points of accuracy, a change of perplexity in percent, or bits."""
        if value is None:
            return "–"
        if self.metric.name == "accuracy":
            return f"{100 * value:{sign}.1f}{' points' * unit}"
        if self.metric.logarithmic:
            return f"{100 * math.expm1(value):{sign}.1f}{'%' * unit}"
        return f"{value:{sign}.3f}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "comparison": self.id,
            "task": self.task,
            "corpus": {"name": self.corpus, "fingerprint": self.fingerprint},
            "metric": self.metric.name,
            "better": self.metric.better,
            "difference_unit": self.metric.unit,
            "seeds": list(self.seeds),
            "detectable": self.detectable,
            "baselines": {name: dict(values) for name, values in self.baselines.items()},
            "variants": [self._variant(variant) for variant in self.variants],
            "settings": dict(self.settings),
            "problems": dict(self.problems),
        }

    def _variant(self, variant: VariantFacts) -> dict[str, Any]:
        whole = variant.whole
        facts: dict[str, Any] = {
            "name": variant.name,
            **self._figures(whole),
            "wins": whole.difference.wins if whole.difference else None,
            "p": variant.p,
            "verdict": variant.verdict,
            "verdict_text": self.verdict_text(variant),
            "detectable": whole.difference.detectable if whole.difference else None,
            "settings": dict(variant.settings),
            "search": variant.search,
            "parameters": variant.parameters,
            "runs": list(variant.runs),
            "parts": {name: self._figures(part) for name, part in variant.parts.items() if name != "all"},
        }
        return facts

    def _figures(self, part: Part) -> dict[str, Any]:
        estimate, difference = part.estimate, part.difference
        facts: dict[str, Any] = {
            "mean": self.value(estimate.mean),
            "interval": [self.value(end) for end in estimate.interval] if estimate.interval else None,
            "difference": difference.mean if difference else None,
            "difference_interval": list(difference.interval) if difference and difference.interval else None,
        }
        if self.metric.logarithmic and difference:
            found = ratio(difference)
            facts |= {"ratio": found.value, "ratio_interval": list(found.interval) if found.interval else None}
        if difference:
            facts["seed_differences"] = list(difference.seed_differences)
        return facts

    def tables(self) -> list[Table]:
        return [self.verdict_table(), *self.part_tables()]

    def verdict_table(self) -> Table:
        """The verdicts, with the baselines below the variants."""
        unit = {"accuracy": "accuracy, %"}.get(self.metric.name, self.metric.name)
        columns = ("variant", unit, "95% interval", "difference", "95% interval", "wins", "p", "verdict")
        rows = [self._row(variant) for variant in self.variants]
        rows += [
            (f"({name})", self.show(self._inverse(values.get("all"))), "", "", "", "", "", "")
            for name, values in self.baselines.items()
        ]
        note = f"{len(self.seeds)} seeds, paired; p after Holm; the first variant is the baseline of the others."
        if self.metric.logarithmic:
            note += " Differences of perplexity are in percent of it."
        for variant in self.variants:
            if variant.search:
                note += f" {variant.name} was chosen on dev, with other seeds ({variant.search})."
        for where, why in self.problems.items():
            note += f" Failed: {where}: {why}"
        return Table(f"{self.task} on {self.corpus}: {unit}", columns, tuple(rows), note=note)

    def _inverse(self, value: float | None) -> float | None:
        return value if value is None or not self.metric.logarithmic else math.log(value)

    def _row(self, variant: VariantFacts) -> tuple[str, ...]:
        whole = variant.whole
        cells = [variant.name, self.show(whole.estimate.mean), self._interval(whole.estimate.interval, self.show)]
        if whole.difference is None:
            return (*cells, "", "", "", "", self.verdict_text(variant))
        wins = f"{whole.difference.wins}/{whole.difference.seeds}"
        interval = self._interval(whole.difference.interval, lambda value: self.show_difference(value, unit=False))
        p = "–" if variant.p is None else f"{variant.p:.3f}" if variant.p >= 0.001 else "<0.001"
        return (*cells, self.show_difference(whole.difference.mean), interval, wins, p, self.verdict_text(variant))

    def _interval(self, interval: tuple[float, float] | None, show: Callable[[float | None], str]) -> str:
        return "–" if interval is None else f"{show(interval[0])} to {show(interval[1])}"

    def part_tables(self) -> list[Table]:
        """Each variant on seen and unseen items, or on each text."""
        parts = [name for name in self.variants[0].parts if name != "all"]
        if not parts:
            return []
        rows = []
        for variant in self.variants:
            cells = []
            for part in parts:
                estimate = variant.parts[part].estimate
                cells += [self.show(estimate.mean), self._interval(estimate.interval, self.show)]
            rows.append((variant.name, *cells))
        for name, values in self.baselines.items():
            cells = [cell for part in parts for cell in (self.show(self._inverse(values.get(part))), "")]
            rows.append((f"({name})", *cells))
        columns = ("variant", *(column for part in parts for column in (part, "95% interval")))
        what = "Seen and unseen items" if self.task == "classifier" else "Each text"
        return [Table(what, columns, tuple(rows))]

    @property
    def table(self) -> "pandas.DataFrame":
        """One row for each variant."""
        import pandas

        kept = [
            {k: v for k, v in self._variant(variant).items() if k not in ("parts", "settings")}
            for variant in self.variants
        ]
        return pandas.DataFrame(kept).set_index("name")
