"""The labelled texts of one split, and the parts that figures are given for."""

from typing import TYPE_CHECKING

import numpy as np

from oratory.statistics import Array
from oratory.text import Corpus
from oratory.training.tasks.classifier.metric import ClassifierMetric
from oratory.training.tasks.units import Groups, Units

if TYPE_CHECKING:
    import pyarrow


class LabelledUnits(Units):
    """Every text counts the same. Test has the parts seen and unseen: whether train has the text too.

    Where a corpus brings a dev split with texts of test, the unseen ones among these are a part of their own.
    """

    def __init__(self, corpus: Corpus, split: str) -> None:
        data = corpus.need_classifier()
        texts = getattr(data, split)
        self.split, self.item = split, corpus.item
        self.sizes = np.ones(len(texts))
        self.groups = Groups(corpus.group, texts.groups, data.train.groups) if corpus.group and texts.groups else None
        self.stratum, self.stratum_of_item = "label", np.array(texts.labels)
        self.parts = {"all": np.ones(len(texts), bool)}
        if split == "test":
            seen, in_dev = np.array(data.seen), np.array(data.in_dev)
            self.parts |= {"seen": seen, "unseen": ~seen, "in dev": in_dev}

    def values(self, table: "pyarrow.Table", metric: ClassifierMetric) -> tuple[Array, Array]:
        """The value of each text, from the per-item results of a run; all weigh the same."""
        values = metric.per_item(table)[np.array(table["split"]) == self.split]
        return values, self.sizes
