"""What the store keeps of a recipe that was run: all that is needed to work it out again from its runs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from oratory.errors import InputError
from oratory.records import read_record, typed, write_record
from oratory.runs import Store
from oratory.text.recorded import RecordedCorpus, with_source

FOLDER = "reproductions"


@dataclass(frozen=True, kw_only=True)
class ReproductionRecord:
    """A reproduction as it is written down."""

    format: int = 1
    recipe: str
    changes: Mapping[str, str] = field(default_factory=dict)
    """Settings that differ from the recipe's file."""
    corpus: RecordedCorpus
    seeds: tuple[int, ...]
    runs: Mapping[str, tuple[str | None, ...]]
    """By variant and seed; None where a run failed."""
    problems: Mapping[str, str] = field(default_factory=dict)

    def write(self, store: Store) -> None:
        """Write it into the store."""
        write_record(_path(self.recipe, store), asdict(self))

    @classmethod
    def read(cls, name: str, store: Store) -> "ReproductionRecord":
        """What was kept of a recipe, or an InputError that says what is wrong with it."""
        path = _path(name, store)
        if not path.exists():
            raise InputError(
                f"The recipe {name} was not run into {store.folder} yet; oratory reproduce {name} does that."
            )
        values = read_record(path)
        if isinstance(values.get("corpus"), dict):
            values["corpus"] = {"name": "", **values["corpus"]}  # Which older files lack.
        return typed(cls, with_source(values, path), path)


def _path(name: str, store: Store) -> Path:
    return store.folder / FOLDER / f"{name}.json"
