"""What the store keeps of a study of scale: all that is needed to work it out again from its runs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from oratory.comparisons.kept import entries_in, kept_in, read_kept
from oratory.errors import InputError
from oratory.records import write_record
from oratory.runs import Store
from oratory.runs.results import KeptResult
from oratory.text.recorded import RecordedCorpus

FOLDER = "scales"
FORMAT = 1
"""Raised when older code could no longer read the file."""


@dataclass(frozen=True)
class KeptCurve:
    """A variant, and its runs by part and seed; None where a run failed."""

    name: str
    settings: Mapping[str, str]
    runs: tuple[tuple[str | None, ...], ...]


@dataclass(frozen=True, kw_only=True)
class KeptScale:
    """A study of scale as it is written down."""

    format: int = FORMAT
    id: str
    task: str
    corpus: RecordedCorpus
    variants: tuple[KeptCurve, ...]
    shares: tuple[float, ...]
    seeds: tuple[int, ...]
    settings: Mapping[str, str]
    metric: str | None = None
    plugins: tuple[tuple[str, ...], ...] = ()
    problems: Mapping[str, str] = field(default_factory=dict)

    def write(self, store: Store) -> None:
        """Write it into the store."""
        write_record(_path(self.id, store), asdict(self))

    @classmethod
    def read(cls, name: str, store: Store) -> "KeptScale":
        """The study of that name, or an InputError that says what is wrong with it."""
        path = _path(name, store)
        remedy = "Its runs are there all the same: the oratory scale that made it finds them, and writes it again."
        kept = read_kept(cls, path, "scale", FORMAT, remedy)
        for curve in kept.variants:
            whole = len(curve.runs) == len(kept.shares) and all(len(runs) == len(kept.seeds) for runs in curve.runs)
            if not whole or not all(any(runs) for runs in curve.runs):
                raise InputError(f"{path} is damaged: {curve.name!r} lacks runs of a part or a seed. {remedy}")
        if any(len(plugin) != 2 for plugin in kept.plugins):
            raise InputError(f"{path} is damaged: a plugin is not a path and a content. {remedy}")
        return kept


def scales_in(store: Store) -> list[str]:
    """The studies of scale of a store."""
    return kept_in(store, FOLDER)


def scale_entries(store: Store) -> list[KeptResult]:
    """What a list says of the studies of a store."""

    def described(name: str) -> tuple[str, int]:
        kept = KeptScale.read(name, store)
        names = ", ".join(curve.name for curve in kept.variants)
        return f"{kept.task} on {kept.corpus.name}: {names}", len(kept.seeds)

    return entries_in(store, FOLDER, "scale", described)


def _path(name: str, store: Store) -> Path:
    return store.folder / FOLDER / f"{name}.json"
