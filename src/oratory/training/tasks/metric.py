"""A metric: one figure that variants are compared by, and everything about showing it."""

import math
from abc import ABC
from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar, Literal

from oratory.tables import number, show_ends


def exponential(nats: float) -> float:
    """exp, bounded near the largest number that there is."""
    return math.exp(min(nats, 700.0))


class Metric(ABC):
    """A mean over items. Its file in the folder of a task's metrics is all that a new one needs."""

    name: ClassVar[str]
    """On the command line blanks may be hyphens."""
    better: ClassVar[Literal["higher", "lower"]]
    unit: ClassVar[str]
    """The unit of a recorded difference."""
    same_tokens: ClassVar[bool] = False
    """Whether values can be compared only where the tokenizers are the same."""
    rank: ClassVar[int] = 0
    """The task takes the applicable metric with the lowest rank, unless another one is named."""
    logarithmic: ClassVar[bool] = False
    """Whether the mean is taken of the logarithm, and shown as its exponential."""
    factor: ClassVar[float] = 1.0
    """What a value is multiplied by when it is shown; 100 for percent."""
    digits: ClassVar[int] = 1
    """Digits after the point."""
    column: ClassVar[str]
    """The name with its unit, for the head of a column."""
    difference_unit: ClassVar[str] = ""
    """What is written after a difference, such as points."""
    missing: ClassVar[str] = "its results have something that is not a number"
    """Why a finished run may have no value."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def value(self, mean: float) -> float:
        """A mean on the scale of the recorded figures."""
        return exponential(mean) if self.logarithmic else mean

    def mean(self, value: float) -> float:
        """The inverse of `value`."""
        return math.log(value) if self.logarithmic else value

    def plotted(self, mean: float) -> float:
        """A mean on the scale of tables and pictures."""
        return self.plotted_value(self.value(mean))

    def scaled(self, mean: float) -> float:
        """The same, even where an interval reaches beyond what the figure can be."""
        return self.plotted_value(Metric.value(self, mean))

    def plotted_value(self, value: float) -> float:
        """A recorded figure on the scale of tables and pictures."""
        return self.factor * value

    def show(self, mean: float | None, digits: int | None = None) -> str:
        """A mean as people read it."""
        return self.show_value(None if mean is None else self.value(mean), digits)

    def show_value(self, value: float | None, digits: int | None = None) -> str:
        """A recorded figure as people read it."""
        return self.show_plotted(None if value is None else self.plotted_value(value), digits)

    def show_plotted(self, value: float | None, digits: int | None = None) -> str:
        """A figure on the scale of tables and pictures, as people read it."""
        return number(value, self.digits if digits is None else digits)

    def show_spread(self, spread: float | None, digits: int | None = None) -> str:
        """The deviation of means on the scale of tables and pictures; in percent if it is one of logarithms."""
        if spread is not None and self.logarithmic:
            return f"{100 * spread:.1f}%"
        return self.show_plotted(spread, digits)

    def show_interval(self, interval: tuple[float, float] | None) -> str:
        """The two ends of an interval as people read them."""
        return show_ends(interval, self.show)

    def plotted_difference(self, difference: float) -> float:
        """A difference of means on the scale of tables and pictures; of a logarithmic metric, in percent."""
        return 100 * math.expm1(difference) if self.logarithmic else self.factor * difference

    def show_difference(self, difference: float | None, sign: str = "+", unit: bool = True) -> str:
        """A difference of means as people read it."""
        if difference is None:
            return "–"
        return f"{self.plotted_difference(difference):{sign}.{self.digits}f}{self.difference_unit * unit}"

    def show_difference_interval(self, interval: tuple[float, float] | None) -> str:
        """The two ends of a difference's interval, without their unit."""
        return show_ends(interval, partial(self.show_difference, unit=False))

    @property
    def difference_label(self) -> str:
        """The name with the unit of differences, for an axis."""
        return f"{self.name}, {self.difference_unit.strip()}" if self.difference_unit else self.name

    @property
    def difference_note(self) -> str:
        """What a reader of differences has to know, if anything."""
        return f"Differences of {self.name} are in percent of it." if self.logarithmic else ""

    def chosen_by(self) -> "Metric":
        """The metric that a search goes by where this one is compared."""
        return self

    def of_result(self, split: Mapping[str, Any]) -> float:
        """The mean that a run's recorded result has for one split or text."""
        raise NotImplementedError

    def of_baselines(self, found: Any, weights: Mapping[str, float]) -> dict[str, dict[str, float | None]]:
        """What each baseline of the task scores, by part; `weights` are those of the parts."""
        raise NotImplementedError
