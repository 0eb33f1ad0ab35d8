"""Studies: what a recipe does with its trained models besides measuring them. Each is a module here.

A study has one function, `explain`, which takes the finished runs of every variant and the corpus. One that takes long
also says of which dataclass its result is, in `KEPT`: it is then written beside the runs, and read from there.
"""

import pkgutil
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from oratory.baselines.kept import kept
from oratory.reports import Figure
from oratory.runs import Run
from oratory.tables import Table
from oratory.text import Corpus

FOLDER = "studies"


class StudyResult(Protocol):
    """What a study found."""

    @property
    def title(self) -> str:
        """The heading of its section in a report."""

    def sentences(self) -> list[str]:
        """The conclusions."""

    def tables(self) -> list[Table]:
        """The figures that they rest on."""

    def pictures(self) -> list[Figure]:
        """The pictures for a report."""

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""


def study_names() -> tuple[str, ...]:
    """The names of all studies."""
    return tuple(sorted(entry.name for entry in pkgutil.iter_modules(__path__)))


def explain(name: str, runs: Mapping[str, Sequence[Run]], corpus: Corpus, store: Path | None = None) -> StudyResult:
    """Do the study with this name, unless the folder of the store has its result for these very models."""
    study = import_module(f"{__name__}.{name}")
    plain: Any = getattr(study, "KEPT", None)
    models = {variant: [(run.id, run.record.files) for run in of_one] for variant, of_one in runs.items()}

    def measure() -> dict[str, Any]:
        return {name: study.explain(runs, corpus)}

    keep = store / FOLDER if store and plain else None
    found: StudyResult = kept(keep, name, [corpus.fingerprint, models], plain, measure)[name]
    return found
