"""Several classifiers as one: the probability of every class is the mean of theirs."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from oratory.training.tasks.labelled import SplitScores
from oratory.training.tasks.same_items import need_same_items


def averaged(tables: Sequence[pa.Table]) -> pa.Table:
    """The results of the classifiers, text by text, as the results of one."""
    need_same_items(tables, ("split", "item", "label"))
    each = [np.stack(table["probabilities"].to_numpy()) for table in tables]  # N, C of each
    mean: NDArray[np.float32] = np.asarray(np.mean(each, axis=0, dtype=np.float64), np.float32)
    first = tables[0]
    scores = SplitScores(np.array(first["label"]), mean)
    found = {
        "predicted": pa.array(scores.predicted),
        "correct": pa.array(scores.correct),
        "nats": pa.array(scores.nats),
        "probabilities": pa.array(list(mean), pa.list_(pa.float32())),
    }
    for name, column in found.items():
        first = first.set_column(first.column_names.index(name), name, column)
    return first
