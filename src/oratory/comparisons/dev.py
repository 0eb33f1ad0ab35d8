"""What runs score on dev, which is all that a choice may look at."""

import math

from oratory.errors import InputError
from oratory.runs import Run
from oratory.training.tasks.metric import Metric


def dev_mean(run: Run, metric: Metric) -> float:
    """The figure of one run on dev."""
    dev = run.result.get("dev")
    if dev is None:
        raise InputError(f"The run {run.id} was not measured on dev, so nothing can be chosen by it.")
    mean = metric.of_result(dev)
    if math.isnan(mean):
        raise InputError(
            f"The {metric.name} of the run {run.id} (tokenizer={run.settings['tokenizer']}) cannot be known, because "
            f"{metric.missing}. Search settings with one tokenizer."
        )
    return mean
