"""What a comparison shows: facts, and their tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from oratory.comparisons.facts import ResultFacts, estimate_figures, p_text, ratio_figures
from oratory.comparisons.standing import Standing
from oratory.runs import Run, Store
from oratory.statistics import Difference, Estimate, verdict_text
from oratory.tables import Table

if TYPE_CHECKING:
    import pandas

BASELINE = "baseline"
NONE = "no verdict"
UNPAIRED = "no seed was finished on both sides"


@dataclass(frozen=True)
class Part:
    """A variant on all items or on some: what it scores, and how that differs from the baseline."""

    estimate: Estimate
    difference: Difference | None
    """None for the baseline itself, and where no seed has scores on both sides."""
    unit: str
    """What one item is, such as a sentence or an address."""


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
    no_verdict: str = ""
    """Why it gets no verdict, where it breaks the contract of mechanisms or says itself that it does."""

    @property
    def whole(self) -> Part:
        return self.parts["all"]


@dataclass(frozen=True, kw_only=True)
class Comparison(ResultFacts):
    """Variants x seeds and the verdicts; `to_dict` is what `--json` prints."""

    named_metric: bool
    """Whether the metric was asked for by its name."""
    settings: Mapping[str, str]
    variants: tuple[VariantFacts, ...]
    baselines: Mapping[str, Mapping[str, float | None]]
    in_train: str
    """How much of test is in train, in a sentence."""
    vocabulary: Mapping[str, str]
    """The fingerprint of each variant's tokenizer."""
    unit: str
    """What one item is in the verdicts, such as a sentence or an address."""
    groups: int | None
    """How many groups test has; None where the corpus has no groups."""
    new_items: str
    """What the verdicts mean by new items, in a sentence."""
    finer_parts: str
    """Which parts have too few groups for that, in a sentence; empty where none has."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Runs that failed, by variant and seed, and why."""
    store: Store | None = field(default=None, compare=False, repr=False)
    """Where the runs are."""

    def runs(self) -> dict[str, list[Run]]:
        """The finished runs of every variant."""
        assert self.store is not None
        return {v.name: [self.store.open(name) for name in v.runs if name is not None] for v in self.variants}

    def all_runs(self) -> list[Run]:
        return [run for found in self.runs().values() for run in found]

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
            return variant.verdict if variant.no_verdict or variant.verdict == BASELINE else f"{NONE}: {UNPAIRED}"
        show = self.metric.show_difference
        return verdict_text(variant.whole.difference, variant.p, lambda value: show(value, "-"))

    @property
    def seeds_said(self) -> str:
        """How many seeds there are, and which variants have fewer."""
        said = f"{len(self.seeds)} seed{'s' * (len(self.seeds) != 1)}"
        fewer = [(v.name, v.whole.estimate.seeds) for v in self.variants if v.whole.estimate.left_out]
        return f"{said} (of which {', '.join(f'{name} has {count}' for name, count in fewer)})" if fewer else said

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head("comparison"),
            "difference_unit": self.metric.unit,
            "seeds": list(self.seeds),
            "groups": self.groups,
            "unit": self.unit,
            "new_items": self.new_items,
            "detectable": self.detectable,
            "vocabulary": dict(self.vocabulary),
            "in_train": self.in_train,
            "baselines": {name: dict(values) for name, values in self.baselines.items()},
            "variants": [self._variant(variant) for variant in self.variants],
            "settings": dict(self.settings),
            "problems": dict(self.problems),
            "warnings": list(self.warnings),
        }

    def _variant(self, variant: VariantFacts) -> dict[str, Any]:
        whole = variant.whole
        facts: dict[str, Any] = {
            "name": variant.name,
            **self._figures(whole),
            "seeds": whole.estimate.seeds,
            "wins": whole.difference.wins if whole.difference else None,
            "p": variant.p,
            "verdict": variant.verdict,
            "verdict_text": self.verdict_text(variant),
            "no_verdict": variant.no_verdict or None,
            "detectable": whole.difference.detectable if whole.difference else None,
            "settings": dict(variant.settings),
            "search": variant.search,
            "parameters": variant.parameters,
            "runs": list(variant.runs),
            "parts": {
                name: {"unit": part.unit, **self._figures(part)}
                for name, part in variant.parts.items()
                if name != "all"
            },
        }
        return facts

    def _figures(self, part: Part) -> dict[str, Any]:
        estimate, difference = part.estimate, part.difference
        return {
            **estimate_figures(self.metric, estimate),
            "difference": difference.mean if difference else None,
            "difference_interval": list(difference.interval) if difference and difference.interval else None,
            **(ratio_figures(self.metric, difference) if difference else {}),
            **({"seed_differences": list(difference.seed_differences)} if difference else {}),
        }

    def tables(self) -> list[Table]:
        return [self.verdict_table(), *self.part_tables()]

    def verdict_table(self) -> Table:
        """The verdicts, with the baselines below the variants."""
        unit = self.metric.column
        columns = ("variant", "verdict", unit, "95% interval", "difference", "95% interval", "wins", "p")
        rows = [self._row(variant) for variant in self.variants]
        rows += [
            (f"({name})", "", self.metric.show_value(values.get("all")), "", "", "", "", "")
            for name, values in self.baselines.items()
        ]
        note = f"{self.seeds_said}, paired; p after Holm, intervals as they are; the first variant is the baseline of "
        note += "the others."
        note += f" {self.new_items}"
        note += f" {self.metric.difference_note}".rstrip()
        for variant in self.variants:
            if variant.search:
                note += f" {variant.name} was chosen on dev, with other seeds ({variant.search})."
        note = "\n".join([note, *self.warnings])
        return Table(f"{self.task} on {self.corpus}: {unit}", columns, tuple(rows), words=2, note=note)

    @cached_property
    def standing(self) -> Standing:
        """The variants and the baselines on every part of test."""
        estimates = {v.name: {name: part.estimate for name, part in v.parts.items()} for v in self.variants}
        return Standing(self.task, self.metric, estimates, self.baselines, self.in_train, self.finer_parts)

    def _row(self, variant: VariantFacts) -> tuple[str, ...]:
        whole, metric = variant.whole, self.metric
        cells = [variant.name, self.verdict_text(variant)]
        cells += [metric.show(whole.estimate.mean), metric.show_interval(whole.estimate.interval)]
        if whole.difference is None:
            return (*cells, "", "", "", "")
        wins = f"{whole.difference.wins}/{whole.difference.seeds}"
        interval = metric.show_difference_interval(whole.difference.interval)
        return (*cells, metric.show_difference(whole.difference.mean), interval, wins, p_text(variant.p))

    def part_tables(self) -> list[Table]:
        """Each variant on every part of test."""
        parts = [name for name in self.variants[0].parts if name != "all"]
        return [self.standing.table(parts)] if parts else []

    @property
    def table(self) -> "pandas.DataFrame":
        """One row for each variant."""
        import pandas

        kept = [
            {k: v for k, v in self._variant(variant).items() if k not in ("parts", "settings")}
            for variant in self.variants
        ]
        return pandas.DataFrame(kept).set_index("name")
