"""What a recipe showed when it was run: our figures beside the published ones, and everything they rest on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oratory.comparisons import Comparison
from oratory.comparisons.standing import Standing
from oratory.recipes.claims import JudgedClaim, claim_table
from oratory.recipes.grid import GridChoice
from oratory.recipes.recipe import Recipe
from oratory.recipes.reference_row import ABOUT, EQUAL, INSIDE, UNKNOWN, ReferenceRow, reference_table
from oratory.recipes.studies import StudyResult
from oratory.runs import Run, Store
from oratory.tables import Table, Tabled, number


@dataclass(frozen=True)
class Reproduction(Tabled):
    """A recipe that was run; `to_dict` is what `--json` prints."""

    recipe: Recipe
    corpus: str
    fingerprint: str
    source: str | None
    """The text that loads the corpus."""
    seeds: tuple[int, ...]
    runs: Mapping[str, tuple[str, ...]]
    """The finished runs of each variant."""
    rows: tuple[ReferenceRow, ...]
    parameters: Mapping[str, Mapping[str, int]]
    """By variant and component, with the total."""
    standing: Standing | None
    """The variants on every part of test, beside the baselines: of a grid only the one that dev chose, if any."""
    store: Store = field(compare=False, repr=False)
    """Where the runs are."""
    comparison: Comparison | None = None
    grid: GridChoice | None = None
    """What dev chose, if the recipe has a grid."""
    study: StudyResult | None = None
    """What the recipe's study found, if it has one."""
    claims: tuple[JudgedClaim, ...] = ()
    """What reports say of the variants, and whether it holds."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """Why runs failed, by variant and seed."""

    def open_runs(self) -> dict[str, list[Run]]:
        """The finished runs of every variant."""
        return {name: [self.store.open(run) for run in found] for name, found in self.runs.items()}

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "recipe": self.recipe.name,
            "title": self.recipe.title,
            "about": self.recipe.about,
            "task": self.recipe.task.name,
            "corpus": {"name": self.corpus, "fingerprint": self.fingerprint},
            "seeds": list(self.seeds),
            "settings": dict(self.recipe.settings),
            "changes": dict(self.recipe.changes or {}),
            "figures": [row.to_dict() for row in self.rows],
            "claims": [claim.to_dict() for claim in self.claims],
            "parameters": {name: dict(counts) for name, counts in self.parameters.items()},
            "runs": {name: list(found) for name, found in self.runs.items()},
            "problems": dict(self.problems),
            "comparison": self.comparison.to_dict() if self.comparison else None,
            "standing": self.standing.to_dict() if self.standing else None,
        }
        if self.grid:
            facts["grid"] = self.grid.to_dict()
        if self.study:
            facts["explained"] = self.study.to_dict()
        return facts

    def sentences(self) -> list[str]:
        """What the tables show, in words."""
        comparable = [row for row in self.rows if not row.reason]
        measured = [row for row in comparable if not row.quantity.exact and row.of_seed != UNKNOWN]
        counted = [row for row in comparable if row.quantity.exact and row.ours is not None]
        said = [self.grid.sentence()] if self.grid else []
        if measured:
            of_seed, of_mean = (
                sum(where == INSIDE for where in places)
                for places in ([row.of_seed for row in measured], [row.of_mean for row in measured])
            )
            said.append(
                f"Of {len(measured)} reference figures that can be compared, {of_seed} are inside the interval for one "
                f"new seed of ours, and {of_mean} are inside the interval of our mean."
            )
        if counted:
            same = sum(row.of_mean == EQUAL for row in counted)
            said.append(f"Of {len(counted)} counts of parameters, {same} equal ours to the unit.")
        if len(comparable) < len(self.rows):
            left = len(self.rows) - len(comparable)
            said.append(f"{left} reference figures are not comparable, for the reasons below the tables.")
        if not self.rows:
            said.append("There is no published figure for this experiment.")
        if len(self.seeds) < 2:
            said.append("One seed has no interval; use at least two, and ten to claim something.")
        return said + [f"Failed: {where}: {why}" for where, why in self.problems.items()]

    def tables(self) -> list[Table]:
        tables = [*self.claim_tables(), *self.end_tables(), *self.training_tables()]
        tables += [self.grid.table()] if self.grid else []
        tables.append(self.parameter_table())
        beside = self.comparison or self.standing
        tables += beside.tables() if beside else []
        return tables + (self.study.tables() if self.study else [])

    def claim_tables(self) -> list[Table]:
        """The claims, if there are any."""
        return [claim_table(self.claims)] if self.claims else []

    def end_tables(self) -> list[Table]:
        """The figures at the end of training, if there are any."""
        rows = [row for row in self.rows if row.at is None]
        return [reference_table("Ours beside the reference", rows)] if rows else []

    def training_tables(self) -> list[Table]:
        """The figures along training, if there are any."""
        rows = [row for row in self.rows if row.at is not None]
        about = ABOUT if len(rows) == len(self.rows) else ""  # Otherwise the first table says it.
        label = self.recipe.task.results.place_label
        return [reference_table("Along training", rows, label, about)] if rows else []

    def parameter_table(self) -> Table:
        """The parameters of each component."""
        parts = list(dict.fromkeys(part for counts in self.parameters.values() for part in counts if part != "total"))
        rows = tuple(
            (part, *(number(counts.get(part)) for counts in self.parameters.values())) for part in [*parts, "total"]
        )
        return Table("Parameters", ("part", *self.parameters), rows)
