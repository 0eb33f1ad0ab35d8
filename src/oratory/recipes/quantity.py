"""The kinds of figures that reports publish. Each kind is a class in `quantities`, found by being there."""

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from oratory.discovery import classes_in
from oratory.errors import InputError, unknown
from oratory.runs import Run
from oratory.tables import show_ends
from oratory.training.tasks.metric import Metric

KINDS = "oratory.recipes.quantities"
PERCENT = "%"
LARGE = 1e6
"""From here on, a measured figure is shown with an exponent."""


@dataclass(frozen=True)
class Quantity(ABC):
    """A published figure: what it is called, how our runs give the same figure, and how it is shown.

    Values are read on the scale that means are taken on: shares of accuracies, logarithms of perplexities.
    """

    name: str
    """As a recipe writes it, such as `test accuracy`."""
    of: str = ""
    """What it is measured on, after a colon: the text of `perplexity: obama`, or a component of the model."""

    names: ClassVar[tuple[str, ...]]
    """The names of this kind."""
    needs: ClassVar[str] = ""
    """What has to follow the colon, such as a text; empty if nothing has to."""
    metric: ClassVar[Metric] = Metric()
    """The metric of a task that it is a value of; a figure that is none is shown as it is."""
    exact: ClassVar[bool] = False
    """Whether it is counted, so that every seed gives the same."""
    unit: ClassVar[str] = ""
    digits: ClassVar[int] = 2
    """Digits after the point; reports give more of them than our own tables."""

    def __post_init__(self) -> None:
        if self.needs and not self.of:
            raise InputError(f"The figure {self.name!r} needs a {self.needs}, as in {self.name}: train.")

    def __str__(self) -> str:
        return f"{self.name}: {self.of}" if self.of else self.name

    @property
    def words(self) -> str:
        """The figure in a sentence: `perplexity of train`."""
        return f"{self.name} of {self.of}" if self.of else self.name

    @property
    def label(self) -> str:
        """The same with its unit, for a table or an axis."""
        return f"{self.words}, {self.unit}" if self.unit else self.words

    @property
    def difference_unit(self) -> str:
        """The unit of a difference from our mean: percent of it, unless the metric has its own."""
        return self.metric.difference_unit.strip() or PERCENT

    @property
    def noun(self) -> str:
        """What it is called in a picture of differences; those in percent of several kinds share one."""
        return "figure" if self.difference_unit == PERCENT else self.metric.name

    @abstractmethod
    def at_evaluation(self, entry: Mapping[str, Any]) -> float | None:
        """The value at one evaluation during training; None if it was not measured."""

    def at_end(self, run: Run) -> float | None:
        """The value of a finished run; None if it was not measured."""
        return self.at_evaluation(run.history()[-1])

    def part(self, parts: Container[str]) -> str | None:
        """The part of test whose per-item results give this figure; None if no part does."""
        return None

    def difference(self, value: float, mean: float) -> float:
        """How far a value is from our mean, both on the scale of reports, in the unit of differences."""
        return 100 * (value / mean - 1) if self.difference_unit == PERCENT else value - mean

    def show(self, value: float | None) -> str:
        """A value on the scale of reports, as people read it."""
        if value is not None and abs(value) >= LARGE and not self.exact:
            return f"{value:.2e}"
        return self.metric.show_plotted(value, self.digits)

    def show_interval(self, interval: tuple[float, float] | None) -> str:
        """The two ends of an interval."""
        return show_ends(interval, self.show)


@cache
def _kinds() -> dict[str, type[Quantity]]:
    return {name: cls for cls in classes_in(KINDS, Quantity) for name in cls.names}  # type: ignore[type-abstract]


def parse_quantity(text: str) -> Quantity:
    """The figure that a recipe names: `test accuracy`, `perplexity: obama`, `parameters: attention`."""
    name, _, of = (part.strip() for part in text.partition(":"))
    if name not in _kinds():
        raise unknown("figure", name, _kinds())
    return _kinds()[name](name, of)
