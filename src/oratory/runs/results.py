"""The results that a store keeps besides its runs: how each kind is written, read back, checked, listed and found."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from oratory.errors import InputError, remedied
from oratory.ids import is_id
from oratory.records import read_record, typed, write_record
from oratory.runs.run import Run
from oratory.runs.store import Store
from oratory.tables import Table, Tabled, number
from oratory.text import Corpus, reload_corpus
from oratory.text.recorded import RecordedCorpus, with_source


@dataclass(frozen=True)
class KeptResult:
    """A comparison, an ensemble or a search, in a list."""

    id: str
    kind: str
    created: str
    what: str
    seeds: int | None = None


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


class StoredResult(ABC):
    """One kind of result: a file in the folder of its kind, named by the id of the result.

    Plain attributes of the class say what a kind is called and where its files are; they are not written into a file.
    """

    KIND = ""
    """What it is called, such as comparison."""
    FOLDER = ""
    SUFFIX = ".json"
    UNREADABLE = "damaged"
    """What a list says of one that cannot be read."""

    @classmethod
    @abstractmethod
    def read(cls, name: str, store: Store) -> Self:
        """The result of that name, or an InputError that says what is wrong with it."""

    @abstractmethod
    def described(self) -> tuple[str, int]:
        """What a list says of it, and its number of seeds."""

    @classmethod
    def path(cls, name: str, store: Store) -> Path:
        """Where the result of that name is, or would be."""
        return store.folder / cls.FOLDER / f"{name}{cls.SUFFIX}"

    @classmethod
    def names(cls, store: Store) -> list[str]:
        """The results of this kind in a store."""
        return sorted(found.stem for found in (store.folder / cls.FOLDER).glob(f"*{cls.SUFFIX}") if is_id(found.stem))

    @classmethod
    def find(cls, name: str, store: Store) -> Path:
        """The file of the result of that name, or an InputError that says which there are."""
        known = cls.names(store)
        if name not in known:
            raise InputError(f"There is no {cls.KIND} {name!r} in {store.folder}. Known: {', '.join(known) or 'none'}.")
        return cls.path(name, store)

    @classmethod
    def entries(cls, store: Store) -> list[KeptResult]:
        """What a list says of the results of this kind in a store; each is as old as its file."""
        found = []
        for name in cls.names(store):
            written = datetime.fromtimestamp(cls.path(name, store).stat().st_mtime, UTC).isoformat(timespec="seconds")
            try:
                found.append(KeptResult(name, cls.KIND, written, *cls.read(name, store).described()))
            except InputError:
                found.append(KeptResult(name, cls.KIND, written, cls.UNREADABLE))
        return found


@dataclass(frozen=True, kw_only=True)
class ResultRecord(StoredResult):
    """A result as JSON with a checksum: all that is needed to work it out again from its runs."""

    FORMAT = 1
    """Raised when older code could no longer read the file."""
    REMEDY = ""
    """What helps where the file is damaged, in a sentence."""

    format: int = FORMAT
    id: str
    task: str
    corpus: RecordedCorpus

    def write(self, store: Store) -> None:
        """Write it into the store."""
        write_record(self.path(self.id, store), asdict(self))

    @classmethod
    def read(cls, name: str, store: Store) -> Self:
        path = cls.find(name, store)
        with remedied(cls.REMEDY):
            values = read_record(path)
        if isinstance(values.get("format"), int) and values["format"] > cls.FORMAT:
            raise InputError(
                f"The {cls.KIND} {name} was written by a newer Oratory (format {values['format']}; this one reads up "
                f"to {cls.FORMAT}): update Oratory to use it."
            )
        with remedied(cls.REMEDY):
            found = typed(cls, with_source(values, path), path)
            fault = found.fault()
            if fault:
                raise InputError(f"{path} is damaged: {fault}.")
        return found

    def fault(self) -> str:
        """Why values of the right types do not fit together; empty where they do."""
        return ""

    def load_corpus(self) -> Corpus:
        """Its corpus, loaded again; an InputError where it has changed since."""
        return reload_corpus(self.KIND, self.id, self.corpus.source, self.corpus.fingerprint)

    def open_runs(
        self,
        ids: Sequence[str | None],
        store: Store,
        seeds: Sequence[int] | None = None,
        corpus: RecordedCorpus | Corpus | None = None,
    ) -> list[Run | None]:
        """Some of its runs, None where one failed; an InputError where one cannot be a run of this result.

        They were trained on the corpus of the result unless another is given, and with these seeds if any are given.
        """
        corpus = corpus or self.corpus
        found = [store.open(name) if name else None for name in ids]
        for at, run in enumerate(found):
            if run is None:
                continue
            wrong = (run.task.name, run.fingerprint, run.status) != (self.task, corpus.fingerprint, "finished")
            if wrong or (seeds is not None and run.seed != seeds[at]):
                seed = "" if seeds is None else f" with seed {seeds[at]}"
                raise InputError(
                    f"{self.path(self.id, store)} is damaged: {run.id} is no finished run of {self.task} on "
                    f"{corpus.name} ({corpus.fingerprint}){seed}. {self.REMEDY}"
                )
        return found


@dataclass(frozen=True, kw_only=True)
class DesignRecord(ResultRecord):
    """A result whose runs were trained for it, with what all of its runs share."""

    seeds: tuple[int, ...]
    settings: Mapping[str, str]
    metric: str | None = None
    plugins: tuple[tuple[str, ...], ...] = ()
    """Files of mechanisms: where they were, and their content."""

    def fault(self) -> str:
        return "a plugin is not a path and a content" if any(len(plugin) != 2 for plugin in self.plugins) else ""

    @property
    def plugin_files(self) -> tuple[tuple[str, str], ...]:
        """The plugins as designs have them."""
        return tuple((path, content) for path, content in self.plugins)
