"""The accuracy of a classifier on a split."""

from collections.abc import Container, Mapping
from typing import Any

from oratory.recipes.quantity import Quantity
from oratory.runs import Run
from oratory.training.tasks.classifier.metrics.accuracy import Accuracy


class SplitAccuracy(Quantity):
    """The share of a split's texts that are classified correctly, in percent."""

    names = ("test accuracy", "dev accuracy", "train accuracy")
    metric = Accuracy()
    unit = "%"

    @property
    def split(self) -> str:
        return self.name.split()[0]

    def at_evaluation(self, entry: Mapping[str, Any]) -> float | None:
        value = entry.get(f"{self.split}_accuracy")
        return None if value is None else float(value)

    def at_end(self, run: Run) -> float | None:
        split = run.result.get(self.split)
        return None if split is None else self.metric.of_result(split)

    def part(self, parts: Container[str]) -> str | None:
        return "all" if self.split == "test" and "all" in parts else None
