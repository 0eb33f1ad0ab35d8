"""The results that a store keeps besides its runs: comparisons, ensembles and searches, as a list."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from oratory.tables import Table, Tabled, number


@dataclass(frozen=True)
class KeptResult:
    """A comparison, an ensemble or a search."""

    id: str
    kind: str
    created: str
    what: str
    seeds: int | None = None

    @classmethod
    def of(cls, kind: str, name: str, path: Path, what: str, seeds: int | None = None) -> "KeptResult":
        """The result in a file, as old as the file is."""
        when = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        return cls(name, kind, when.isoformat(timespec="seconds"), what, seeds)


@dataclass(frozen=True)
class KeptResults(Tabled):
    """Some results."""

    entries: tuple[KeptResult, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"results": [asdict(entry) for entry in self.entries]}

    def tables(self) -> list[Table]:
        rows = tuple(
            (entry.id, entry.what, entry.created[:16].replace("T", " "), number(entry.seeds)) for entry in self.entries
        )
        note = "oratory report ID writes the report of one again; the beginning of an id is enough."
        return [Table("Results of several runs", ("id", "what", "created", "seeds"), rows, words=2, note=note)]
