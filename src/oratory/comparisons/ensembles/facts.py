"""What ensembles show: facts, and their tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oratory.comparisons.facts import Pairing, ResultFacts
from oratory.comparisons.rivals import rival_table
from oratory.comparisons.standing import Standing
from oratory.runs import Store
from oratory.tables import Table, counted

SINGLE = "its single models"
ROWS = "group of seeds", "groups of seeds"
"""What one score in a verdict on ensembles comes from, and several."""


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
    rivalries: tuple[Pairing, ...]
    """Single models, ensembles and hybrids against the strongest baselines."""
    unit: str
    """What one item is in the verdicts, such as a sentence or an address."""
    new_items: str
    """What the verdicts mean by new items, in a sentence."""
    store: Store | None = field(default=None, compare=False, repr=False)

    def verdict_text(self, pairing: Pairing) -> str:
        """The verdict, and the difference that would have been seen if none was."""
        return pairing.verdict_text(self.metric)

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
                "differences": [pairing.to_dict(self.metric, "group_differences") for pairing in self.pairings],
            },
            "against_baselines": [rivalry.to_dict(self.metric, "seed_differences") for rivalry in self.rivalries],
            "warnings": list(self.warnings),
        }

    def tables(self) -> list[Table]:
        return [self.standing.table(self.standing.parts), *self.verdict_tables(), *self.rival_tables()]

    def rival_tables(self) -> list[Table]:
        """Models against the strongest baselines; none where no baseline has results by item."""
        return [rival_table(self.rivalries, self.metric, self.new_items)] if self.rivalries else []

    def verdict_tables(self) -> list[Table]:
        """What averaging gives, part by part; none where the seeds make no groups."""
        if not self.pairings:
            return []
        rows = [row for each in self.pairings for row in each.rows(self.metric)]
        columns = ("ensembles of", "against", "verdict", "difference", "95% interval", "wins", "p")
        shown = "; ".join(", ".join(map(str, group)) for group in self.groups)
        groups = counted(len(self.groups), f"ensemble of {self.size} runs")
        note = (
            f"{groups}, whose seeds are {shown}: no run is in two of them. The verdict is on all of test, and its "
            f"parts are below it; p after Holm. {self.new_items} {self.metric.difference_note}"
        )
        title = f"Ensembles of {self.size} runs: {self.metric.column}"
        return [Table(title, columns, tuple(rows), words=3, note="\n".join([note.strip(), *self.warnings]))]
