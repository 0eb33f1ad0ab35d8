"""What the store keeps of an atlas: all that is needed to work it out again from its runs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from oratory.errors import InputError
from oratory.ids import is_id
from oratory.records import read_record, typed, write_record
from oratory.runs import Store
from oratory.runs.results import KeptResult
from oratory.text.recorded import RecordedCorpus, with_source

FOLDER = "atlases"
TIMES = "times"
FORMAT = 1
"""Raised when older code could no longer read the file."""


@dataclass(frozen=True)
class KeptRow:
    """A mechanism as it was found before training, and its runs by family and seed; none where a run failed."""

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


@dataclass(frozen=True, kw_only=True)
class KeptAtlas:
    """An atlas as it is written down. Its first row is the base, its last ones are the controls."""

    format: int = FORMAT
    id: str
    task: str
    corpus: RecordedCorpus
    rows: tuple[KeptRow, ...]
    seeds: tuple[int, ...]
    settings: Mapping[str, str]
    only: tuple[str, ...]
    limit: float
    metric: str | None = None
    tune: tuple[str, ...] = ()
    plugins: tuple[tuple[str, ...], ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    made: str = ""

    def write(self, store: Store) -> None:
        """Write it into the store."""
        write_record(_path(self.id, store), asdict(self))

    @classmethod
    def read(cls, name: str, store: Store) -> "KeptAtlas":
        """The atlas of that name, or an InputError that says what is wrong with it."""
        if name not in atlases_in(store):
            known = ", ".join(atlases_in(store)) or "none"
            raise InputError(f"There is no atlas {name!r} in {store.folder}. Known: {known}.")
        path = _path(name, store)
        remedy = "Its runs are there all the same: the oratory atlas that made it finds them, and writes it again."
        try:
            values = read_record(path)
            if isinstance(values.get("format"), int) and values["format"] > FORMAT:
                raise InputError(f"The atlas {name} was written by a newer Oratory: update Oratory to use it.")
            kept = typed(cls, with_source(values, path), path)
            if not kept.rows or any(len(runs) != len(kept.seeds) for row in kept.rows for runs in row.runs.values()):
                raise InputError(f"{path} is damaged: a row does not have a run for each seed.")
        except InputError as error:
            raise InputError(f"{error} {remedy}") from None
        return kept


def atlases_in(store: Store) -> list[str]:
    """The atlases of a store."""
    return sorted(found.stem for found in (store.folder / FOLDER).glob("*.json") if is_id(found.stem))


def atlas_entries(store: Store) -> list[KeptResult]:
    """What a list says of the atlases of a store; of one that is damaged, that it is."""
    found = []
    for name in atlases_in(store):
        try:
            kept = KeptAtlas.read(name, store)
            what = f"{kept.task} on {kept.corpus.name}: {len(kept.rows)} rows"
            found.append(KeptResult.of("atlas", name, _path(name, store), what, len(kept.seeds)))
        except InputError:
            found.append(KeptResult.of("atlas", name, _path(name, store), "damaged"))
    return found


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
    return store.folder / FOLDER / TIMES / f"{name}.json"


def _path(name: str, store: Store) -> Path:
    return store.folder / FOLDER / f"{name}.json"
