"""The labelled texts of one split, and the parts that figures are given for."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from oratory.statistics import Array
from oratory.text import ClassifierData
from oratory.training.tasks.classifier.metric import ClassifierMetric

if TYPE_CHECKING:
    import pyarrow


class LabelledUnits:
    """Every text counts the same. Test has the parts seen and unseen: whether train has the text too."""

    def __init__(self, data: ClassifierData, split: str) -> None:
        self.split = split
        texts = getattr(data, split)
        self.parts: dict[str, NDArray[np.bool_]] = {"all": np.ones(len(texts), bool)}
        if split == "test":
            seen = np.array(data.seen)
            self.parts |= {"seen": seen, "unseen": ~seen}

    def values(self, table: "pyarrow.Table", metric: ClassifierMetric) -> tuple[Array, Array]:
        """The value of each text, from the per-item results of a run; all weigh the same."""
        values = metric.per_item(table)[np.array(table["split"]) == self.split]
        return values, np.ones(len(values))
