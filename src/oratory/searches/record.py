"""What the store keeps of a search: its design, from which it can be made again, and how its trials ended."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self

from filelock import FileLock, Timeout

from oratory.errors import InputError
from oratory.records import typed
from oratory.runs import Store
from oratory.runs.results import StoredResult
from oratory.text.load import source_text

if TYPE_CHECKING:
    from oratory.searches.study import Study


@dataclass(frozen=True, kw_only=True)
class SearchRecord(StoredResult):
    """The design of a search as it is written down, in the file of its study. Its id follows from these values."""

    KIND = "search"
    FOLDER = "searches"
    SUFFIX = ".sqlite"
    UNREADABLE = "cannot be read"

    task: str
    fingerprint: str
    """Of the corpus."""
    space: Mapping[str, str]
    method: str
    trials: int | None
    seeds: tuple[int, ...]
    settings: Mapping[str, str]
    source: str | None
    """The text that loads the corpus again; None for one that was made by hand."""
    plugins: tuple[str, ...] = ()
    """Where the files of mechanisms were."""
    search_seed: int
    at_once: int
    prune: bool
    better: str
    """Whether the metric is better higher or lower."""

    @classmethod
    def read(cls, name: str, store: Store) -> Self:
        return cls.of(open_study(name, store))

    @classmethod
    def of(cls, study: "Study") -> Self:
        """The design that a study keeps."""
        values = study.design
        return typed(cls, {**values, "source": source_text(values.get("source"))}, study.path)

    def described(self) -> tuple[str, int]:
        return f"{self.task}: {' '.join(self.words)}", len(self.seeds)

    @property
    def words(self) -> list[str]:
        """The space as a user writes it."""
        return [f"{key}={value}" for key, value in self.space.items()]


@dataclass(frozen=True)
class TrialRecord:
    """How a trial ended, as it is written down."""

    trial: int
    state: str
    settings: Mapping[str, str]
    dev: float | None
    interval: tuple[float, ...] | None
    values: tuple[float, ...]
    runs: tuple[str, ...]
    problem: str


def open_study(name: str, store: Store) -> "Study":
    """The trials of a search that was made before, or an InputError."""
    need_optuna()
    from oratory.searches.study import Study

    return Study(SearchRecord.find(name, store))


@contextmanager
def held(name: str, store: Store) -> Iterator[Path]:
    """The file of a search, which no other process uses meanwhile."""
    path = SearchRecord.path(name, store)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path.parent / f".{name}.lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError(f"The search {name} is in use by another process; wait for it, or stop it.") from None
    except OSError as error:
        raise InputError(f"{path.parent} cannot be used: {error.strerror or error}.") from None
    try:
        yield path
    finally:
        lock.release()


def need_optuna() -> None:
    """Refuse a search where the package that draws its points is not installed."""
    if find_spec("optuna") is None:
        raise InputError("A search needs Optuna: pip install 'oratory[search]'.")
