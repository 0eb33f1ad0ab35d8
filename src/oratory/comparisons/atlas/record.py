"""What the store keeps of an atlas: all that is needed to work it out again from its runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from oratory.errors import InputError
from oratory.records import read_record, write_record
from oratory.runs import Store
from oratory.runs.results import DesignRecord

TIMES = "times"


@dataclass(frozen=True)
class RowRecord:
    """A mechanism as it was found before training, and its runs by family and seed; None where a run failed."""

    kind: str
    mechanism: str
    status: str
    reason: str = ""
    parameters: int | None = None
    update: float | None = None
    runs: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By family."""
    problems: tuple[str, ...] = ()
    """Why runs failed."""

    @property
    def name(self) -> str:
        """As the variant is called; the base settings and the controls are of no kind."""
        return f"{self.kind}={self.mechanism}" if self.kind else self.mechanism


@dataclass(frozen=True, kw_only=True)
class AtlasRecord(DesignRecord):
    """An atlas as it is written down. Its first row is the base, its last ones are the controls."""

    KIND = "atlas"
    FOLDER = "atlases"
    REMEDY = "Its runs are there all the same: the oratory atlas that made it finds them, and writes it again."

    rows: tuple[RowRecord, ...]
    only: tuple[str, ...]
    limit: float
    tune: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    made: str = ""

    def fault(self) -> str:
        if not self.rows or any(len(runs) != len(self.seeds) for row in self.rows for runs in row.runs.values()):
            return "a row does not have a run for each seed"
        return super().fault()

    def described(self) -> tuple[str, int]:
        return f"{self.task} on {self.corpus.name}: {len(self.rows)} rows", len(self.seeds)


def read_times(name: str, store: Store) -> dict[str, tuple[float, float]]:
    """What was timed for an atlas before it was stopped: the seconds of a run and of an update, by mechanism."""
    try:
        return {key: (float(one), float(two)) for key, (one, two) in read_record(_times(name, store))["times"].items()}
    except (InputError, KeyError, ValueError, TypeError, AttributeError):
        return {}


def write_times(name: str, store: Store, times: Mapping[str, tuple[float, float]]) -> None:
    """Keep what was timed."""
    write_record(_times(name, store), {"times": {key: list(value) for key, value in times.items()}})


def _times(name: str, store: Store) -> Path:
    return store.folder / AtlasRecord.FOLDER / TIMES / f"{name}.json"
