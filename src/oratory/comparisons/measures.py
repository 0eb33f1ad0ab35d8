"""Runs as matrices of seeds x items: the one place that reads per-item results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from oratory.errors import InputError
from oratory.runs import Run
from oratory.statistics import Array, Estimate, single
from oratory.text import Corpus
from oratory.training.tasks import Task
from oratory.training.tasks.metric import Metric


@dataclass(frozen=True, eq=False)
class Measure:
    """One figure of all runs: for each variant a matrix of seeds x items, with a row of NaN for a run that failed."""

    matrices: Mapping[str, Array]
    weights: Array

    def estimate(self, variant: str) -> Estimate:
        """The mean of a variant, with its interval."""
        return single(self.matrices[variant], self.weights)


def same_tokens(runs: Mapping[str, Sequence[Run | None]]) -> bool:
    """Whether all runs have one tokenizer."""
    return len({run.settings["tokenizer"] for found in runs.values() for run in found if run}) <= 1


def measures_of(
    task: Task, metric: Metric, corpus: Corpus, runs: Mapping[str, Sequence[Run | None]], split: str = "test"
) -> dict[str, Measure]:
    """The figure over everything, under `all`, and over the parts of the split."""
    units = task.units(corpus, split)
    read = {name: [units.values(run.items(), metric) if run else None for run in found] for name, found in runs.items()}
    done = [values for found in read.values() for values in found if values is not None]
    if not done:
        raise InputError("No run was finished, so there is nothing to compare.")
    weights = done[0][1]
    missing = np.full(len(weights), np.nan)
    rows = {name: [missing if values is None else values[0] for values in found] for name, found in read.items()}
    return {
        part: Measure({name: np.stack(found)[:, mask] for name, found in rows.items()}, weights[mask])
        for part, mask in units.parts.items()
        if mask.any()
    }
