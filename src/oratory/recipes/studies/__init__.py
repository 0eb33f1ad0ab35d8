"""Studies: what a recipe does with its trained models besides measuring them. Each is a module here.

A study has one function, `explain`, which takes the finished runs of every variant and the corpus.
"""

import pkgutil
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Protocol

from oratory.reports import Figure
from oratory.runs import Run
from oratory.tables import Table
from oratory.text import Corpus


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


def explain(name: str, runs: Mapping[str, Sequence[Run]], corpus: Corpus) -> StudyResult:
    """Do the study with this name."""
    found: StudyResult = import_module(f"{__name__}.{name}").explain(runs, corpus)
    return found
