"""What a reproduction shows: ours beside the reference, and where the reference lies."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oratory.comparison import Comparison
from oratory.recipes.grid import Grid
from oratory.recipes.quantity import Ours, Quantity
from oratory.recipes.recipe import Recipe
from oratory.recipes.reweight import Explained
from oratory.tables import Table, Tabled, number

INSIDE, BELOW, ABOVE = "inside", "below", "above"
NOT_COMPARABLE = "not comparable"
ABOUT = (
    "A reference is one seed. The interval is that of our mean, over seeds and test items (over seeds alone along "
    "training, on train and on single sentences). One new seed: where a further run of ours would lie on the same "
    "items, 19 times in 20, which is the fair question to a single seed. The spread is the deviation over seeds."
)


def place(value: float, interval: tuple[float, float] | None) -> str:
    """Where a value lies."""
    if interval is None:
        return "–"
    return BELOW if value < interval[0] else ABOVE if value > interval[1] else INSIDE


@dataclass(frozen=True)
class Row:
    """One figure of a report, and ours."""

    source: str
    variant: str
    quantity: Quantity
    at: float | None
    reference: float
    ours: Ours | None
    reason: str = ""

    @property
    def of_mean(self) -> str:
        """Where the reference lies in the interval of our mean; of what is counted, whether it is the same."""
        return self._place(self.ours.interval if self.ours else None)

    @property
    def of_seed(self) -> str:
        """Where the reference lies among single seeds of ours."""
        return self._place(self.ours.prediction if self.ours else None)

    def _place(self, interval: tuple[float, float] | None) -> str:
        if self.reason:
            return NOT_COMPARABLE
        if self.ours is not None and self.quantity.exact:
            return self.difference
        return place(self.reference, interval)

    @property
    def difference(self) -> str:
        """Ours less the reference, of what is counted."""
        assert self.ours is not None
        off = round(self.ours.mean - self.reference)
        return "equal" if off == 0 else f"ours {off:+,}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "variant": self.variant,
            "figure": str(self.quantity),
            "at": self.at,
            "reference": self.reference,
            "ours": self.ours.to_dict() if self.ours else None,
            "of_mean": self.of_mean,
            "of_new_seed": self.of_seed,
            "reason": self.reason or None,
        }


@dataclass(frozen=True)
class Reproduction(Tabled):
    """A recipe that was run; `to_dict` is what `--json` prints."""

    recipe: Recipe
    corpus: str
    fingerprint: str
    source: str | None
    """The text that loads the corpus again; None where the corpus was made by hand."""
    seeds: tuple[int, ...]
    runs: Mapping[str, tuple[str, ...]]
    """The finished runs of each variant."""
    rows: tuple[Row, ...]
    parameters: Mapping[str, Mapping[str, int]]
    """By variant and component, with the total."""
    comparison: Comparison | None = None
    grid: Grid | None = None
    """Of a grid, which has no comparison: what was tried, and what was chosen."""
    explained: Explained | None = None
    problems: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "recipe": self.recipe.name,
            "title": self.recipe.title,
            "about": self.recipe.about,
            "task": self.recipe.task,
            "corpus": {"name": self.corpus, "fingerprint": self.fingerprint},
            "seeds": list(self.seeds),
            "settings": dict(self.recipe.settings),
            "changes": dict(self.recipe.changes or {}),
            "figures": [row.to_dict() for row in self.rows],
            "parameters": {name: dict(counts) for name, counts in self.parameters.items()},
            "runs": {name: list(found) for name, found in self.runs.items()},
            "problems": dict(self.problems),
            "comparison": self.comparison.to_dict() if self.comparison else None,
        }
        if self.grid:
            facts["grid"] = self.grid.to_dict()
        if self.explained:
            facts["explained"] = self.explained.to_dict()
        return facts

    def sentences(self) -> list[str]:
        """What the table says, counted."""
        single = [row for row in self.rows if not row.reason and not row.quantity.exact and row.of_seed != "–"]
        said = [self.grid.sentence()] if self.grid else []
        if single:
            near = sum(row.of_seed == INSIDE for row in single)
            of_mean = sum(row.of_mean == INSIDE for row in single)
            said.append(
                f"Of {len(single)} reference figures that can be compared, {near} lie where one new seed of ours would "
                f"lie, and {of_mean} in the interval of our mean."
            )
        exact = [row for row in self.rows if row.quantity.exact and not row.reason and row.ours is not None]
        if exact:
            same = sum(row.of_mean == "equal" for row in exact)
            said.append(f"Of {len(exact)} counts of parameters, {same} equal ours to the unit.")
        left = sum(bool(row.reason) for row in self.rows)
        if left:
            said.append(f"{left} reference figures are not comparable, for the reasons below the tables.")
        if not self.rows:
            said.append("There is no published figure for this experiment.")
        if len(self.seeds) < 2:
            said.append("One seed has no interval; use at least two, and ten to claim something.")
        return said + [f"Failed: {where}: {why}" for where, why in self.problems.items()]

    def tables(self) -> list[Table]:
        tables = [*self.reference_tables(), *([self.grid.table()] if self.grid else []), self.parameter_table()]
        if self.comparison is not None:
            tables += self.comparison.tables()
        return tables + (self.explained.tables() if self.explained else [])

    def reference_tables(self) -> list[Table]:
        """The end of training, and the way there."""
        ends = [row for row in self.rows if row.at is None]
        along = [row for row in self.rows if row.at is not None]
        made = []
        if ends:
            made.append(self._table("Ours beside the reference", ends, with_place=False))
        if along:
            made.append(self._table("Along training", along, with_place=True))
        return made

    def _table(self, title: str, rows: list[Row], with_place: bool) -> Table:
        where = ("update" if self.recipe.task == "lm" else "epoch",) if with_place else ()
        columns = ("variant", "figure", *where, "ours", "95% of our mean", "95% of one new seed", "spread", "reference")
        columns += ("source", "new seed", "our mean")
        reasons: dict[str, str] = {}
        cells = []
        for row in rows:
            mark = reasons.setdefault(row.reason, f"({len(reasons) + 1})") if row.reason else ""
            cells.append(_cells(row, with_place, mark))
        about = [] if with_place and any(row.at is None for row in self.rows) else [ABOUT]  # Said once is enough.
        note = " ".join(about + [f"{mark} Not comparable: {reason}." for reason, mark in reasons.items()])
        return Table(title, columns, tuple(cells), words=2, note=note)

    def parameter_table(self) -> Table:
        """Where the parameters are."""
        parts = list(dict.fromkeys(part for counts in self.parameters.values() for part in counts if part != "total"))
        rows = tuple(
            (part, *(number(counts.get(part)) for counts in self.parameters.values())) for part in [*parts, "total"]
        )
        return Table("Parameters", ("part", *self.parameters), rows)


def _cells(row: Row, with_place: bool, mark: str) -> tuple[str, ...]:
    quantity, found = row.quantity, row.ours
    where = (f"{row.at:g}",) if with_place and row.at is not None else ()
    spread = "–"
    if found and found.spread is not None:
        spread = f"{100 * found.spread:.1f}%" if quantity.logarithmic else quantity.show(found.spread)
    places = (f"{mark} –" if mark else row.of_seed, f"{mark} –" if mark else row.of_mean)
    name = f"{quantity.words}, {quantity.unit}" if quantity.unit else quantity.words
    return (
        row.variant,
        name,
        *where,
        quantity.show(found.mean if found else None),
        _interval(quantity, found.interval if found else None),
        _interval(quantity, found.prediction if found else None),
        spread,
        quantity.show(row.reference),
        row.source,
        *places,
    )


def _interval(quantity: Quantity, interval: tuple[float, float] | None) -> str:
    return "–" if interval is None else f"{quantity.show(interval[0])} to {quantity.show(interval[1])}"
