"""What the store keeps of a comparison: all that is needed to work it out again from its runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from oratory.runs import Run, Store
from oratory.runs.results import DesignRecord


@dataclass(frozen=True)
class VariantRecord:
    """A variant and its runs, by seed; None where a run failed."""

    name: str
    settings: Mapping[str, str]
    runs: tuple[str | None, ...]
    search: str | None = None


@dataclass(frozen=True, kw_only=True)
class ComparisonRecord(DesignRecord):
    """A comparison as it is written down."""

    KIND = "comparison"
    FOLDER = "comparisons"
    REMEDY = "Its runs are there all the same: the oratory compare that made it finds them, and writes it again."

    variants: tuple[VariantRecord, ...]
    problems: Mapping[str, str] = field(default_factory=dict)

    def fault(self) -> str:
        for variant in self.variants:
            if len(variant.runs) != len(self.seeds) or not any(variant.runs):
                return f"{variant.name!r} does not have a run for each seed"
        return super().fault()

    def described(self) -> tuple[str, int]:
        names = ", ".join(variant.name for variant in self.variants)
        return f"{self.task} on {self.corpus.name}: {names}", len(self.seeds)

    def runs_in(self, store: Store) -> dict[str, list[Run | None]]:
        """The runs of every variant, if they are runs of this comparison."""
        return {variant.name: self.open_runs(variant.runs, store, self.seeds) for variant in self.variants}
