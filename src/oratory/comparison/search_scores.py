"""What a search goes by: the figure of dev, how far it can be trusted, and in the end the figures of test."""

import math
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from oratory.comparison.matrices import ACCURACY, BITS, BLOCK, Array, Metric, measures_of, metric_of
from oratory.comparison.statistics import Estimate, single
from oratory.errors import InputError
from oratory.runs import Run
from oratory.text import Corpus

NATS = Metric("nats per token", "nats per token", "lower")


def dev_metric(task: str, tokenizers: set[str]) -> Metric:
    """Accuracy; or nats per token, which are comparable only where the tokens are the same."""
    if task == "classifier":
        return ACCURACY
    return NATS if len(tokenizers) == 1 else BITS


def dev_score(run: Run, metric: Metric) -> float:
    """The figure of one run on dev; test is not looked at."""
    dev = run.result.get("dev")
    if dev is None:
        raise InputError(f"The run {run.id} was not measured on dev, so nothing can be chosen by it.")
    if metric is ACCURACY:
        return float(dev["accuracy"])
    if metric is BITS:
        return float(dev["bits_per_byte"])
    # A perplexity that is more than a number can hold is recorded as none.
    return math.log(sys.float_info.max if dev["perplexity"] is None else dev["perplexity"])


def dev_interval(runs: Sequence[Run], metric: Metric, corpus: Corpus) -> tuple[float, float] | None:
    """The 95% interval of the mean over the seeds and the items of dev; one seed has none."""
    if len(runs) < 2:
        return None
    if metric is ACCURACY:
        return single(np.stack([_correct(run) for run in runs])).interval
    dev = corpus.need_lm().dev or ()
    of_line, sizes = _blocks(dev)
    totals, tokens = zip(*(_nats(run, of_line, len(sizes)) for run in runs), strict=True)
    if metric is BITS:
        return single(np.stack(totals) / math.log(2) / sizes, sizes).interval
    return single(np.stack(totals) / tokens[0], tokens[0]).interval


def final_scores(task: str, runs: Sequence[Run], corpus: Corpus, across: bool) -> tuple[Metric, dict[str, Estimate]]:
    """Figures on test, on all of it and on its parts; none where there is no test. `across`: tokenizers differ."""
    metric = BITS if across and task != "classifier" else metric_of(task, {"one"})
    there = corpus.need_classifier().test if task == "classifier" else corpus.need_lm().tests
    if not there:
        return metric, {}
    measures = measures_of(metric, corpus, {"best": runs})
    return metric, {name: single(measure.matrices["best"], measure.weights) for name, measure in measures.items()}


def _correct(run: Run) -> Array:
    table = run.items()
    correct: Array = np.array(table["correct"])[np.array(table["split"]) == "dev"].astype(np.float64)
    return correct


def _blocks(lines: Sequence[str]) -> tuple[NDArray[np.int64], Array]:
    """The block of each line, and the bytes of each block: neighbouring lines, as in a comparison."""
    found: list[int] = []
    sizes: list[int] = []
    for line in lines:
        if not sizes or sizes[-1] >= BLOCK:
            sizes.append(0)
        sizes[-1] += len(line.encode()) + 1
        found.append(len(sizes) - 1)
    return np.array(found), np.array(sizes, np.float64)


def _nats(run: Run, of_line: NDArray[np.int64], blocks: int) -> tuple[Array, Array]:
    """The nats of each block, and its tokens."""
    table = run.items()
    mask = np.array(table["text"].combine_chunks().to_pylist()) == "dev"
    where = of_line[np.array(table["line"])[mask]]
    nats = np.array(table["nats"]).astype(np.float64)[mask]
    total: Array = np.bincount(where, weights=nats, minlength=blocks).astype(np.float64)
    return total, np.bincount(where, minlength=blocks).astype(np.float64)
