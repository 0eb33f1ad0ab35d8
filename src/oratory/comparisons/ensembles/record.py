"""What the store keeps of an ensemble: its members, from whose results it is worked out again."""

from collections.abc import Mapping
from dataclasses import dataclass

from oratory.runs.results import ResultRecord


@dataclass(frozen=True, kw_only=True)
class EnsembleRecord(ResultRecord):
    """An ensemble of each variant as it is written down."""

    KIND = "ensemble"
    FOLDER = "ensembles"
    REMEDY = "Its runs are there all the same: the oratory ensemble that made it writes it again."

    named: tuple[str, ...]
    """The ids that it was made of: runs, or one comparison."""
    members: Mapping[str, tuple[str | None, ...]]
    """The runs of each variant by seed; None where a run failed."""
    size: int
    """Runs in each of the ensembles that verdicts are on."""
    metric: str | None = None
    counts: float | None = None
    """The share of n-grams in hybrids with them, if there are some."""

    def fault(self) -> str:
        lengths = {len(runs) for runs in self.members.values()}
        whole = len(lengths) == 1 and all(any(runs) for runs in self.members.values()) and self.size >= 2
        return "" if whole else "its variants do not have equally many runs"

    def described(self) -> tuple[str, int]:
        runs = next(iter(self.members.values()))
        return f"{self.task} on {self.corpus.name}: {', '.join(self.members)}", len(runs)
