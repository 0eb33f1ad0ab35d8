"""What the store keeps of a comparison: all that is needed to work it out again from its runs."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TypeVar

from oratory.errors import InputError
from oratory.ids import is_id
from oratory.records import read_record, typed, write_record
from oratory.runs import Run, Store
from oratory.runs.results import KeptResult
from oratory.text.recorded import RecordedCorpus, with_source

FOLDER = "comparisons"
FORMAT = 1
"""Raised when older code could no longer read the file."""


T = TypeVar("T")


def read_kept(cls: type[T], path: Path, what: str, newest: int, remedy: str) -> T:
    """The typed values of a file of the store, or an InputError that says what is wrong with it and what helps."""
    try:
        values = read_record(path)
    except InputError as error:
        raise InputError(f"{error} {remedy}") from None
    if isinstance(values.get("format"), int) and values["format"] > newest:
        raise InputError(
            f"The {what} {path.stem} was written by a newer Oratory (format {values['format']}; this one reads up to "
            f"{newest}): update Oratory to use it."
        )
    try:
        return typed(cls, with_source(values, path), path)
    except InputError as error:
        raise InputError(f"{error} {remedy}") from None


@dataclass(frozen=True)
class KeptVariant:
    """A variant and its runs, by seed; None where a run failed."""

    name: str
    settings: Mapping[str, str]
    runs: tuple[str | None, ...]
    search: str | None = None


@dataclass(frozen=True, kw_only=True)
class KeptComparison:
    """A comparison as it is written down."""

    format: int = FORMAT
    id: str
    task: str
    corpus: RecordedCorpus
    variants: tuple[KeptVariant, ...]
    seeds: tuple[int, ...]
    settings: Mapping[str, str]
    metric: str | None = None
    plugins: tuple[tuple[str, ...], ...] = ()
    """Files of mechanisms: where they were, and their content."""
    problems: Mapping[str, str] = field(default_factory=dict)

    def write(self, store: Store) -> None:
        """Write it into the store."""
        write_record(_path(self.id, store), asdict(self))

    @classmethod
    def read(cls, name: str, store: Store) -> "KeptComparison":
        """The comparison of that name, or an InputError that says what is wrong with it."""
        if name not in comparisons_in(store):
            known = ", ".join(comparisons_in(store)) or "none"
            raise InputError(f"There is no comparison {name!r} in {store.folder}. Known: {known}.")
        path = _path(name, store)
        remedy = "Its runs are there all the same: the oratory compare that made it finds them, and writes it again."
        kept = read_kept(cls, path, "comparison", FORMAT, remedy)
        for variant in kept.variants:
            if len(variant.runs) != len(kept.seeds) or not any(variant.runs):
                raise InputError(f"{path} is damaged: {variant.name!r} does not have a run for each seed. {remedy}")
        if any(len(plugin) != 2 for plugin in kept.plugins):
            raise InputError(f"{path} is damaged: a plugin is not a path and a content. {remedy}")
        return kept

    def runs_in(self, store: Store) -> dict[str, list[Run | None]]:
        """The runs of every variant, if they are runs of this comparison."""
        found: dict[str, list[Run | None]] = {}
        for variant in self.variants:
            found[variant.name] = [store.open(name) if name else None for name in variant.runs]
            for run, seed in zip(found[variant.name], self.seeds, strict=True):
                if run is None:
                    continue
                has = (run.task.name, run.fingerprint, run.seed, run.status)
                if has != (self.task, self.corpus.fingerprint, seed, "finished"):
                    raise InputError(
                        f"{_path(self.id, store)} is damaged: {run.id} is no finished run of {self.task} on "
                        f"{self.corpus.name} ({self.corpus.fingerprint}) with seed {seed}. The oratory compare that "
                        "made the comparison writes it again."
                    )
        return found


def comparisons_in(store: Store) -> list[str]:
    """The comparisons of a store."""
    return kept_in(store, FOLDER)


def comparison_entries(store: Store) -> list[KeptResult]:
    """What a list says of the comparisons of a store."""

    def described(name: str) -> tuple[str, int]:
        kept = KeptComparison.read(name, store)
        names = ", ".join(variant.name for variant in kept.variants)
        return f"{kept.task} on {kept.corpus.name}: {names}", len(kept.seeds)

    return entries_in(store, FOLDER, "comparison", described)


def kept_in(store: Store, folder: str) -> list[str]:
    """The names of the results in a folder of a store."""
    return sorted(found.stem for found in (store.folder / folder).glob("*.json") if is_id(found.stem))


def entries_in(store: Store, folder: str, kind: str, described: Callable[[str], tuple[str, int]]) -> list[KeptResult]:
    """What a list says of the results in a folder: what each is, and its seeds; or that it is damaged."""
    found = []
    for name in kept_in(store, folder):
        path = store.folder / folder / f"{name}.json"
        try:
            found.append(KeptResult.of(kind, name, path, *described(name)))
        except InputError:
            found.append(KeptResult.of(kind, name, path, "damaged"))
    return found


def _path(name: str, store: Store) -> Path:
    return store.folder / FOLDER / f"{name}.json"
