"""What a comparison shows: facts, and their tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oratory.runs import Run, Store
from oratory.statistics import Difference, Estimate, ratio, verdict_text
from oratory.tables import Table, Tabled
from oratory.training.tasks import Task
from oratory.training.tasks.metric import Metric

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
    task: Task
    corpus: str
    fingerprint: str
    source: str | None
    """The text that loads the corpus."""
    metric: Metric
    named_metric: bool
    """Whether the metric was asked for by its name."""
    seeds: tuple[int, ...]
    settings: Mapping[str, str]
    variants: tuple[VariantFacts, ...]
    baselines: Mapping[str, Mapping[str, float | None]]
    problems: Mapping[str, str] = field(default_factory=dict)
    """Runs that failed, by variant and seed, and why."""
    plugins: tuple[str, ...] = ()
    """Files of mechanisms."""
    store: Store | None = field(default=None, compare=False, repr=False)
    """Where the runs are."""

    def runs(self) -> dict[str, list[Run]]:
        """The finished runs of every variant."""
        assert self.store is not None
        return {v.name: [self.store.open(name) for name in v.runs if name is not None] for v in self.variants}

    @property
    def detectable(self) -> float | None:
        """The smallest true difference that each of the comparisons would have shown four times in five."""
        known = [v.whole.difference.detectable for v in self.variants if v.whole.difference]
        found = [value for value in known if value is not None]
        return max(found) if found else None

    @cached_property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each variant, in words."""
        return {variant.name: self.verdict_text(variant) for variant in self.variants}

    def verdict_text(self, variant: VariantFacts) -> str:
        """The verdict, and the difference that would have been seen if none was."""
        if variant.whole.difference is None:
            return variant.verdict
        show = self.metric.show_difference
        return verdict_text(variant.whole.difference, variant.p, lambda value: show(value, "-"))

    def to_dict(self) -> dict[str, Any]:
        return {
            "comparison": self.id,
            "task": self.task.name,
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
            "mean": self.metric.value(estimate.mean),
            "interval": [self.metric.value(end) for end in estimate.interval] if estimate.interval else None,
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
        unit = self.metric.column
        columns = ("variant", unit, "95% interval", "difference", "95% interval", "wins", "p", "verdict")
        rows = [self._row(variant) for variant in self.variants]
        rows += [
            (f"({name})", self._show_baseline(values.get("all")), "", "", "", "", "", "")
            for name, values in self.baselines.items()
        ]
        note = f"{len(self.seeds)} seeds, paired; p after Holm; the first variant is the baseline of the others."
        note += f" {self.metric.difference_note}".rstrip()
        for variant in self.variants:
            if variant.search:
                note += f" {variant.name} was chosen on dev, with other seeds ({variant.search})."
        for where, why in self.problems.items():
            note += f" Failed: {where}: {why}"
        return Table(f"{self.task} on {self.corpus}: {unit}", columns, tuple(rows), note=note)

    def _show_baseline(self, value: float | None) -> str:
        return self.metric.show(None if value is None else self.metric.mean(value))

    def _row(self, variant: VariantFacts) -> tuple[str, ...]:
        whole, metric = variant.whole, self.metric
        cells = [variant.name, metric.show(whole.estimate.mean), metric.show_interval(whole.estimate.interval)]
        if whole.difference is None:
            return (*cells, "", "", "", "", self.verdict_text(variant))
        wins = f"{whole.difference.wins}/{whole.difference.seeds}"
        interval = metric.show_difference_interval(whole.difference.interval)
        p = "–" if variant.p is None else f"{variant.p:.3f}" if variant.p >= 0.001 else "<0.001"
        return (*cells, metric.show_difference(whole.difference.mean), interval, wins, p, self.verdict_text(variant))

    def part_tables(self) -> list[Table]:
        """Each variant on every part of test."""
        parts = [name for name in self.variants[0].parts if name != "all"]
        if not parts:
            return []
        rows = []
        for variant in self.variants:
            cells = []
            for part in parts:
                estimate = variant.parts[part].estimate
                cells += [self.metric.show(estimate.mean), self.metric.show_interval(estimate.interval)]
            rows.append((variant.name, *cells))
        for name, values in self.baselines.items():
            cells = [cell for part in parts for cell in (self._show_baseline(values.get(part)), "")]
            rows.append((f"({name})", *cells))
        columns = ("variant", *(column for part in parts for column in (part, "95% interval")))
        return [Table(self.task.results.parts_title, columns, tuple(rows))]

    @property
    def table(self) -> "pandas.DataFrame":
        """One row for each variant."""
        import pandas

        kept = [
            {k: v for k, v in self._variant(variant).items() if k not in ("parts", "settings")}
            for variant in self.variants
        ]
        return pandas.DataFrame(kept).set_index("name")
