"""Accuracy."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oratory.training.tasks.classifier.metric import ClassifierMetric

if TYPE_CHECKING:
    import pyarrow

    from oratory.statistics import Array
    from oratory.training.tasks.classifier.baselines import ClassifierBaselines


class Accuracy(ClassifierMetric):
    """The share of texts whose most probable class is their label."""

    name = "accuracy"
    better = "higher"
    unit = "share of items"
    factor = 100.0
    column = "accuracy, %"
    difference_unit = " points"

    def value(self, mean: float) -> float:
        # An interval over few items can reach beyond what a share can be.
        return min(max(mean, 0.0), 1.0)

    def per_item(self, table: "pyarrow.Table") -> "Array":
        import numpy as np

        correct: Array = np.array(table["correct"]).astype(np.float64)
        return correct

    def of_result(self, split: Mapping[str, Any]) -> float:
        return float(split["accuracy"])

    def of_baselines(
        self, found: "ClassifierBaselines", weights: Mapping[str, float]
    ) -> dict[str, dict[str, float | None]]:
        return {
            name: {part: getattr(facts, part).value for part in ("all", "seen", "unseen")}
            for name, facts in found.models.items()
        }
