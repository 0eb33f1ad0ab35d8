"""What the record of a run says about its task: figures for lists, tables, curves, and topics for a report.

Everything here works on plain recorded values, so that a list of runs needs neither a model nor a corpus.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from oratory.tables import number

if TYPE_CHECKING:
    from oratory.pictures import Mark, Topic
    from oratory.tables import Table
    from oratory.training.tasks.metric import Metric

Result = Mapping[str, Any]
"""The recorded figures of a run, by split or text."""
History = Sequence[Mapping[str, Any]]
"""The evaluations of a run."""


@dataclass(frozen=True)
class Curve:
    """One figure along training: what it is called, and how it is read from an evaluation."""

    name: str
    label: str
    """The figure and its unit, for an axis."""
    value: Callable[[Mapping[str, Any]], float | None]
    """On the scale that is drawn; None where an evaluation has no such figure."""
    log: bool = False

    def values(self, history: History) -> list[float]:
        """The figure at every evaluation, NaN where there is none."""
        found = [self.value(entry) for entry in history]
        return [math.nan if value is None else value for value in found]


class Recorded(Protocol):
    """What a task may ask of a run's record."""

    @property
    def result(self) -> dict[str, Any]: ...
    @property
    def settings(self) -> dict[str, Any]: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...
    @property
    def step(self) -> int: ...
    def history(self) -> list[dict[str, Any]]: ...


class Results(ABC):
    """Recorded results of one task, as people read them."""

    title: ClassVar[str]
    """Over a list of runs."""
    place: ClassVar[str]
    """What evaluations are counted by: `epoch` or `step`."""
    place_label: ClassVar[str]
    """The same in words, for an axis or a column."""
    known: ClassVar[tuple[str, ...]]
    """Figures that may be asked for even where no run has them yet."""
    of_tokens: ClassVar[bool] = False
    """Whether its figures depend on what the tokens are."""
    parts_title: ClassVar[str]
    """Over the table of the parts of test."""

    figure_types: ClassVar[Mapping[str, Any]]
    """The type of each entry that the result of a split or a text may have."""

    def wrong(self, result: Result, labels: Sequence[str]) -> str | None:
        """What cannot be in a result whose entries are of their types; None where all can."""
        return None

    # --- lists

    @abstractmethod
    def figures(self, result: Result) -> dict[str, float | None]:
        """The figures that lists show, filter and sort by."""

    def shown(self, figures: Iterable[str]) -> list[str]:
        """The figures that a table of runs has room for."""
        return list(figures)

    def heading(self, figure: str) -> str:
        """The head of a figure's column."""
        return figure

    def show(self, figure: str, value: float | None) -> str:
        """A figure in a list."""
        return number(value, 1)

    def read(self, figure: str, value: float) -> float:
        """A figure as a user writes it, on the scale of the record."""
        return value

    # --- one run

    @abstractmethod
    def facts(self, run: Recorded, result: Result) -> dict[str, Any]:
        """What `--json` prints of the result and the way there."""

    @abstractmethod
    def tables(self, run: Recorded) -> "list[Table]":
        """The result as tables."""

    @abstractmethod
    def topics(self, run: Recorded) -> "list[Topic]":
        """The result for a report: first what the run scores, then what there is to say besides."""

    @abstractmethod
    def curves(self, history: History) -> list[Curve]:
        """The figures along training that are drawn in one picture."""

    # --- comparisons

    @abstractmethod
    def compared_curves(self, histories: Sequence[History]) -> tuple[list[Curve], str]:
        """The figures along training that variants are compared by, a picture each, and a remark on them."""

    @abstractmethod
    def parts(
        self,
        names: Sequence[str],
        variants: "Mapping[str, Sequence[Mark]]",
        baselines: Mapping[str, Sequence[float | None]],
        metric: "Metric",
    ) -> "Topic":
        """Variants and baselines on every part of test."""

    def compared(self, results: Mapping[str, Sequence[Result]], labels: Sequence[str]) -> "list[Topic]":
        """What else there is to say of variants, given the results of their seeds."""
        return []
