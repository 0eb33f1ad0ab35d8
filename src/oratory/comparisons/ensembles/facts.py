"""What ensembles show: facts, and their tables."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oratory.comparisons.standing import Standing
from oratory.runs import Store
from oratory.statistics import Difference, ratio, verdict, verdict_text
from oratory.tables import Table, Tabled
from oratory.training.tasks import Task
from oratory.training.tasks.metric import Metric

SINGLE = "its single models"


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


@dataclass(frozen=True)
class Ensemble(Tabled):
    """Every variant as one ensemble of all its runs, and what smaller ensembles of separate seeds show."""

    id: str
    task: Task
    corpus: str
    fingerprint: str
    source: str | None
    """The text that loads the corpus."""
    metric: Metric
    named_metric: bool
    """Whether the metric was asked for by its name."""
    counts: float | None
    """The share of n-grams in the hybrids with them; None where there are no hybrids."""
    named: tuple[str, ...]
    """The ids that it was made of: runs, or one comparison."""
    members: Mapping[str, tuple[str | None, ...]]
    """The runs of each variant by seed; None where a run failed."""
    seeds: tuple[int, ...]
    size: int
    """Runs in each of the ensembles that verdicts are on."""
    groups: tuple[tuple[int, ...], ...]
    """The seeds of each of these ensembles."""
    standing: Standing
    """The ensembles of all runs, the mean of their members, and the baselines."""
    pairings: tuple[Pairing, ...]
    unit: str
    """What counts as one in the verdicts, such as sentence or address."""
    new_items: str
    """What the verdicts mean by new items, in a sentence."""
    warnings: tuple[str, ...] = ()
    """What a reader must know before believing the figures, a sentence each."""
    store: Store | None = field(default=None, compare=False, repr=False)

    def verdict_text(self, pairing: Pairing) -> str:
        """The verdict, and the difference that would have been seen if none was."""
        found = verdict_text(pairing.whole, pairing.p, lambda value: self.metric.show_difference(value, "-"))
        # The statistics count rows of scores, and a row is a group of seeds here.
        return found.replace(" seeds", " groups of seeds").replace("one seed;", "one group of seeds;")

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {
            "ensemble": self.id,
            "task": self.task.name,
            "corpus": {"name": self.corpus, "fingerprint": self.fingerprint},
            "better": self.metric.better,
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
            "warnings": list(self.warnings),
        }

    def _pairing(self, pairing: Pairing) -> dict[str, Any]:
        return {
            "variant": pairing.variant,
            "against": pairing.against,
            "verdict": verdict(pairing.whole, pairing.p),
            "verdict_text": self.verdict_text(pairing),
            "p": pairing.p,
            "wins": pairing.whole.wins,
            "parts": {name: self._figures(found) for name, found in pairing.parts.items()},
        }

    def _figures(self, found: Difference) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "difference": found.mean,
            "interval": list(found.interval) if found.interval else None,
            "group_differences": list(found.seed_differences),
        }
        if self.metric.logarithmic:
            of = ratio(found)
            facts |= {"ratio": of.value, "ratio_interval": list(of.interval) if of.interval else None}
        return facts

    def tables(self) -> list[Table]:
        return [self.standing.table(self.standing.parts), *self.verdict_tables()]

    def verdict_tables(self) -> list[Table]:
        """What averaging gives, part by part; none where the seeds make no groups."""
        if not self.pairings:
            return []
        rows = []
        for pairing in self.pairings:
            for part, found in pairing.parts.items():
                whole = part == "all"
                p = "–" if pairing.p is None else f"{pairing.p:.3f}" if pairing.p >= 0.001 else "<0.001"
                rows.append(
                    (
                        pairing.variant if whole else "",
                        pairing.against if whole else "",
                        part,
                        self.verdict_text(pairing) if whole else "",
                        self.metric.show_difference(found.mean),
                        self.metric.show_difference_interval(found.interval),
                        f"{found.wins}/{found.seeds}",
                        p if whole else "",
                    )
                )
        columns = ("ensembles of", "against", "on", "verdict", "difference", "95% interval", "wins", "p")
        shown = "; ".join(", ".join(map(str, group)) for group in self.groups)
        note = (
            f"{len(self.groups)} ensembles of {self.size} runs, whose seeds are {shown}: no run is in two of them. "
            f"The verdict is on all of test; p after Holm. {self.new_items} {self.metric.difference_note}"
        )
        title = f"Ensembles of {self.size} runs: {self.metric.column}"
        return [Table(title, columns, tuple(rows), words=4, note="\n".join([note.strip(), *self.warnings]))]
