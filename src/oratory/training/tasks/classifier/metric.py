"""What every metric of a classifier has: a value for each text."""

from abc import abstractmethod
from typing import TYPE_CHECKING

from oratory.training.tasks.metric import Metric

if TYPE_CHECKING:
    import pyarrow

    from oratory.statistics import Array


class ClassifierMetric(Metric):
    """A mean over labelled texts."""

    @abstractmethod
    def per_item(self, table: "pyarrow.Table") -> "Array":
        """The value of each row of a run's results."""
