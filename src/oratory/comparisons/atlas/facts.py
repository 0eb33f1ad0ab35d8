"""What an atlas shows: a row for every mechanism, with its effect, its cost, or the reason why it has none."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from oratory.comparisons.comparison import Comparison
from oratory.comparisons.facts import ResultFacts, p_text
from oratory.statistics import LEVEL
from oratory.tables import Table, number

JUDGED, REFUSED, LEAKS, SLOW, FAILED = "judged", "refused", "leaks", "slow", "failed"
"""What became of a mechanism. One that failed with some seeds only is judged by the others, and its row says so."""
GIVEN, TUNED = "as given", "tuned"
"""The two families: the base settings for all, and for each the settings that a search found on dev."""


@dataclass(frozen=True)
class Effect:
    """The difference of a mechanism from the base settings."""

    seeds: int
    mean: float | None
    """What the mechanism scores."""
    difference: float
    interval: tuple[float, float] | None
    wins: int
    p: float | None
    holm: float | None
    """p after Holm, over all mechanisms of the atlas and the controls."""
    discovery: float | None
    """The share of false discoveries to expect among all effects with a p at most as large as this one."""
    verdict: str
    text: str
    """The verdict in words, with what would have been seen."""


@dataclass(frozen=True)
class AtlasRow:
    """One mechanism."""

    kind: str
    mechanism: str
    status: str
    reason: str = ""
    """Why it was not judged, or what a reader must know besides the verdict."""
    parameters: int | None = None
    update: float | None = None
    """Processor seconds for an update."""
    cost: float | None = None
    """How many times that of the base settings."""
    effects: Mapping[str, Effect] = field(default_factory=dict)
    """By family."""
    paper: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind}={self.mechanism}" if self.kind else self.mechanism

    @property
    def effect(self) -> Effect | None:
        """What it is sorted by."""
        return self.effects.get(TUNED, self.effects.get(GIVEN))

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, **asdict(self)}


@dataclass(frozen=True, kw_only=True)
class Atlas(ResultFacts):
    """Every mechanism against the base settings; `to_dict` is what `--json` prints."""

    settings: Mapping[str, str]
    only: tuple[str, ...]
    limit: float
    rows: tuple[AtlasRow, ...]
    """The best first; those without an effect last."""
    controls: tuple[AtlasRow, ...]
    base: AtlasRow
    base_means: Mapping[str, float | None]
    """What the base settings score, by family."""
    versions: Mapping[str, str]
    made: str
    """The date."""
    tune: tuple[str, ...] = ()
    """What was searched for each mechanism, where that was asked for."""
    in_train: str = ""
    new_items: str = ""
    families: Mapping[str, Comparison] = field(default_factory=dict, compare=False, repr=False)

    @property
    def judged(self) -> tuple[AtlasRow, ...]:
        return tuple(row for row in self.rows if row.effect is not None)

    @property
    def problems(self) -> tuple[AtlasRow, ...]:
        """Mechanisms of which a run failed or diverged."""
        return tuple(row for row in self.rows if row.status == FAILED or (row.status == JUDGED and row.reason))

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.head("atlas"),
            "difference_unit": self.metric.unit,
            "seeds": list(self.seeds),
            "settings": dict(self.settings),
            "only": list(self.only),
            "limit": self.limit,
            "tune": list(self.tune),
            "versions": dict(self.versions),
            "made": self.made,
            "base": {**self.base.to_dict(), "means": dict(self.base_means)},
            "controls": [row.to_dict() for row in self.controls],
            "rows": [row.to_dict() for row in self.rows],
            "in_train": self.in_train,
            "new_items": self.new_items,
        }

    def sentences(self) -> list[str]:
        """What a reader must know before the table."""
        words = [row.effect.verdict for row in self.judged if row.effect]
        better, worse = words.count("better"), words.count("worse")
        lost = len(self.rows) - len(words)
        said = [
            f"{len(words)} mechanisms were judged, each over {len(self.seeds)} paired seeds: {better} better than the "
            f"base settings, {worse} worse, and of {len(words) - better - worse} no difference was shown."
        ]
        if lost:
            said.append(f"{lost} were not judged; their rows say why.")
        shown = [row.name for row in self.controls if row.effect and (row.effect.holm or 1.0) < LEVEL]
        said.append(
            f"The controls are the base settings again, with other seeds. {' and '.join(shown)} shows a difference, "
            "which is chance: the other verdicts deserve as much doubt."
            if shown
            else "The controls, which are the base settings again with other seeds, show no difference, as they should."
        )
        said.append(f"{self.in_train} {self.new_items}".strip())
        return said

    def tables(self) -> list[Table]:
        names = list(self.families) or [GIVEN]
        return [self.table(family) for family in names]

    def table(self, family: str = GIVEN) -> Table:
        """Every mechanism in one family, the best first."""
        metric = self.metric
        found = ("verdict", "difference", "95% interval", "wins", "p (Holm)", "q (FDR)")
        columns = ("mechanism", *found, "parameters", "cost")
        rows = [self._row(row, family) for row in (*self.rows, *self.controls)]
        base = (
            "base settings",
            metric.show_value(self.base_means.get(family)),
            *("",) * 5,
            number(self.base.parameters),
            "1.0",
        )
        note = (
            f"{metric.column}; {len(self.seeds)} seeds, paired; p after Holm over all rows; q: the share of false ones "
            "to expect among all that are as likely; cost: processor time of an update, times that of the base. "
            f"{metric.difference_note}"
        )
        title = f"{self.task} on {self.corpus}: every mechanism against the base settings"
        title += f", {family}" if len(self.families) > 1 else ""
        return Table(title, columns, (base, *rows), words=2, note="\n".join([note.strip(), *self.sentences()]))

    def _row(self, row: AtlasRow, family: str) -> tuple[str, ...]:
        metric, effect = self.metric, row.effects.get(family)
        more = (number(row.parameters), number(row.cost, 1))
        if effect is None:
            why = row.reason or row.effects[GIVEN].text if GIVEN in row.effects else row.reason
            return (row.name, f"{row.status}: {why}", "", "", "", "", "", *more)
        text = f"{effect.text}{f'; {row.reason}' if row.reason else ''}"
        return (
            row.name,
            text,
            metric.show_difference(effect.difference),
            metric.show_difference_interval(effect.interval),
            f"{effect.wins}/{effect.seeds}",
            p_text(effect.holm),
            p_text(effect.discovery),
            *more,
        )
