"""Several models of running text as one: the probability of every token is the mean of theirs."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from oratory.training.tasks.same_items import need_same_items


def averaged(tables: Sequence[pa.Table]) -> pa.Table:
    """The results of the models, token by token, as the results of one."""
    need_same_items(tables, ("text", "line", "token"))
    nats = mean_nats(np.stack([np.array(table["nats"], np.float64) for table in tables]))
    first = tables[0]
    return first.set_column(first.column_names.index("nats"), "nats", pa.array(nats))


def mean_nats(nats: NDArray[np.float64], shares: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """The surprisal of each token (N) under the mean probability of the models, given the surprisal for each (M, N).

    This is -ln of the mean of exp(-nats), taken from the largest probability on, so that nothing becomes zero. Models
    may have different shares (M) in the mean.
    """
    least = nats.min(axis=0)
    mean: NDArray[np.float64] = least - np.log(np.average(np.exp(least - nats), axis=0, weights=shares))
    return mean
