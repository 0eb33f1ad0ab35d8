"""What ensembles show: facts, and their tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oratory.comparisons.facts import ResultFacts, p_text, ratio_figures
from oratory.comparisons.rivals import Rivalry
from oratory.comparisons.standing import Standing
from oratory.runs import Store
from oratory.statistics import Difference, verdict, verdict_text
from oratory.tables import Table, counted

SINGLE = "its single models"
ROWS = "group of seeds", "groups of seeds"
"""What one score in a verdict on ensembles comes from, and several."""


@dataclass(frozen=True)
class Pairing:
    """Ensembles of one variant against something else, on the same disjoint groups of seeds."""

    variant: str
    against: str
    parts: Mapping[str, Difference]
    """By part of test; the first one is `all`."""
    p: float | None = None
    """After Holm, over all pairings."""

    @property
    def whole(self) -> Difference:
        return self.parts["all"]


@dataclass(frozen=True, kw_only=True)
class Ensemble(ResultFacts):
    """Every variant as one ensemble of all its runs, and what smaller ensembles of separate seeds show."""

    named_metric: bool
    """Whether the metric was asked for by its name."""
    counts: float | None
    """The share of n-grams in the hybrids with them; None where there are no hybrids."""
    named: tuple[str, ...]
    """The ids that it was made of: runs, or one comparison."""
    members: Mapping[str, tuple[str | None, ...]]
    """The runs of each variant by seed; None where a run failed."""
    size: int
    """Runs in each of the ensembles that verdicts are on."""
    groups: tuple[tuple[int, ...], ...]
    """The seeds of each of these ensembles."""
    standing: Standing
    """The ensembles of all runs, the mean of their members, and the baselines."""
    pairings: tuple[Pairing, ...]
    rivalries: tuple[Rivalry, ...]
    """Single models, ensembles and hybrids against the strongest baselines."""
    unit: str
    """What one item is in the verdicts, such as a sentence or an address."""
    new_items: str
    """What the verdicts mean by new items, in a sentence."""
    store: Store | None = field(default=None, compare=False, repr=False)

    def verdict_text(self, pairing: Pairing | Rivalry) -> str:
        """The verdict, and the difference that would have been seen if none was."""
        return verdict_text(pairing.whole, pairing.p, lambda value: self.metric.show_difference(value, "-"))

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            **self.head("ensemble"),
            "difference_unit": self.metric.unit,
            "members": {name: list(runs) for name, runs in self.members.items()},
            "seeds": list(self.seeds),
            "counts": self.counts,
            **self.standing.to_dict(),
            "paired": {
                "size": self.size,
                "groups": [list(group) for group in self.groups],
                "unit": self.unit,
                "new_items": self.new_items,
                "differences": [self._pairing(pairing) for pairing in self.pairings],
            },
            "against_baselines": [
                {"model": rivalry.model, "baseline": rivalry.rival, **self._judged(rivalry, "seed_differences")}
                for rivalry in self.rivalries
            ],
            "warnings": list(self.warnings),
        }

    def _pairing(self, pairing: Pairing) -> dict[str, Any]:
        judged = self._judged(pairing, "group_differences")
        return {"variant": pairing.variant, "against": pairing.against, **judged}

    def _judged(self, found: Pairing | Rivalry, each: str) -> dict[str, Any]:
        return {
            "verdict": verdict(found.whole, found.p),
            "verdict_text": self.verdict_text(found),
            "p": found.p,
            "wins": found.whole.wins,
            "parts": {name: self._figures(part, each) for name, part in found.parts.items()},
        }

    def _figures(self, found: Difference, each: str) -> dict[str, Any]:
        return {
            "difference": found.mean,
            "interval": list(found.interval) if found.interval else None,
            each: list(found.seed_differences),
            **ratio_figures(self.metric, found),
        }

    def tables(self) -> list[Table]:
        return [self.standing.table(self.standing.parts), *self.verdict_tables(), *self.rival_tables()]

    def rival_tables(self) -> list[Table]:
        """Models against the strongest baselines, part by part; none where no baseline has results by item."""
        if not self.rivalries:
            return []
        rows = [row for found in self.rivalries for row in self._rows(found.model, found.rival, found)]
        columns = ("model", "against", "verdict", "difference", "95% interval", "wins", "p")
        note = (
            f"On the same items; a baseline is the same with every seed. The verdict is on all of test, and its parts "
            f"are below it; p after Holm. {self.new_items} {self.metric.difference_note}"
        )
        title = f"Against the baselines: {self.metric.column}"
        return [Table(title, columns, tuple(rows), words=3, note=note.strip())]

    def _rows(self, name: str, against: str, judged: Pairing | Rivalry) -> list[tuple[str, ...]]:
        """One verdict, part by part."""
        rows = []
        for part, found in judged.parts.items():
            whole = part == "all"
            rows.append(
                (
                    name if whole else f"  {part}",
                    against if whole else "",
                    self.verdict_text(judged) if whole else "",
                    self.metric.show_difference(found.mean),
                    self.metric.show_difference_interval(found.interval),
                    f"{found.wins}/{found.seeds}",
                    p_text(judged.p) if whole else "",
                )
            )
        return rows

    def verdict_tables(self) -> list[Table]:
        """What averaging gives, part by part; none where the seeds make no groups."""
        if not self.pairings:
            return []
        rows = [row for found in self.pairings for row in self._rows(found.variant, found.against, found)]
        columns = ("ensembles of", "against", "verdict", "difference", "95% interval", "wins", "p")
        shown = "; ".join(", ".join(map(str, group)) for group in self.groups)
        groups = counted(len(self.groups), f"ensemble of {self.size} runs")
        note = (
            f"{groups}, whose seeds are {shown}: no run is in two of them. The verdict is on all of test, and its "
            f"parts are below it; p after Holm. {self.new_items} {self.metric.difference_note}"
        )
        title = f"Ensembles of {self.size} runs: {self.metric.column}"
        return [Table(title, columns, tuple(rows), words=3, note="\n".join([note.strip(), *self.warnings]))]
