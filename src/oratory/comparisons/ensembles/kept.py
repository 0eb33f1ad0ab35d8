"""What the store keeps of an ensemble: its members, from whose results it is worked out again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from oratory.comparisons.kept import entries_in, kept_in, read_kept
from oratory.errors import InputError
from oratory.records import write_record
from oratory.runs import Store
from oratory.runs.results import KeptResult
from oratory.text.recorded import RecordedCorpus

FOLDER = "ensembles"
FORMAT = 1
"""Raised when older code could no longer read the file."""


@dataclass(frozen=True, kw_only=True)
class KeptEnsemble:
    """An ensemble of each variant as it is written down."""

    format: int = FORMAT
    id: str
    task: str
    corpus: RecordedCorpus
    named: tuple[str, ...]
    """The ids that it was made of: runs, or one comparison."""
    members: Mapping[str, tuple[str | None, ...]]
    """The runs of each variant by seed; None where a run failed."""
    size: int
    """Runs in each of the ensembles that verdicts are on."""
    metric: str | None = None
    counts: float | None = None
    """The share of n-grams in hybrids with them, if there are some."""

    def write(self, store: Store) -> None:
        """Write it into the store."""
        write_record(_path(self.id, store), asdict(self))

    @classmethod
    def read(cls, name: str, store: Store) -> "KeptEnsemble":
        """The ensemble of that name, or an InputError that says what is wrong with it."""
        path = _path(name, store)
        remedy = "Its runs are there all the same: the oratory ensemble that made it writes it again."
        kept = read_kept(cls, path, "ensemble", FORMAT, remedy)
        lengths = {len(runs) for runs in kept.members.values()}
        if len(lengths) != 1 or not all(any(runs) for runs in kept.members.values()) or kept.size < 2:
            raise InputError(f"{path} is damaged: its variants do not have equally many runs. {remedy}")
        return kept


def ensembles_in(store: Store) -> list[str]:
    """The ensembles of a store."""
    return kept_in(store, FOLDER)


def ensemble_entries(store: Store) -> list[KeptResult]:
    """What a list says of the ensembles of a store."""

    def described(name: str) -> tuple[str, int]:
        kept = KeptEnsemble.read(name, store)
        return f"{kept.task} on {kept.corpus.name}: {', '.join(kept.members)}", len(next(iter(kept.members.values())))

    return entries_in(store, FOLDER, "ensemble", described)


def _path(name: str, store: Store) -> Path:
    return store.folder / FOLDER / f"{name}.json"
