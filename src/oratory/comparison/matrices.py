"""Runs as matrices: seeds x items, where an item is a labelled text, or a block of running text.

A block is some neighbouring lines of one text with at least `BLOCK` bytes between them: the same stretch of text for
every variant, whatever its tokens are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.comparison.statistics import Better
from oratory.errors import InputError
from oratory.runs import Run
from oratory.text import Corpus

BLOCK = 512

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Metric:
    """What is compared."""

    name: str
    unit: str
    """Of a difference."""
    better: Better
    logarithmic: bool = False
    """Whether a mean is shown as its exponential."""


ACCURACY = Metric("accuracy", "share of items", "higher")
PERPLEXITY = Metric("perplexity", "nats per token", "lower", logarithmic=True)
BITS = Metric("bits per byte", "bits per byte", "lower")


@dataclass(frozen=True, eq=False)
class Measure:
    """One figure over all runs: for each variant a matrix of seeds x items, with a row of NaN for a run that failed."""

    matrices: Mapping[str, Array]
    weights: Array


def metric_of(task: str, tokenizers: set[str]) -> Metric:
    """Accuracy; or perplexity, which can only be compared where the tokens are the same."""
    if task == "classifier":
        return ACCURACY
    return PERPLEXITY if len(tokenizers) == 1 else BITS


def measures_of(metric: Metric, corpus: Corpus, runs: Mapping[str, Sequence[Run | None]]) -> dict[str, Measure]:
    """The figure over everything, under `all`, and over parts: seen and unseen items, or each text."""
    if metric is ACCURACY:
        data = corpus.need_classifier()
        if data.test is None:
            raise InputError(f"The corpus {corpus.name} has no test split, so there is nothing to compare on.")
        seen = np.array(data.seen)
        parts = {"all": np.ones(len(seen), bool), "seen": seen, "unseen": ~seen}
        rows = {name: [_correct(run, len(seen)) for run in found] for name, found in runs.items()}
        weights = np.ones(len(seen))
    else:
        blocks = _Blocks(corpus)
        parts = {"all": np.ones(len(blocks.owner), bool)} | {
            name: blocks.owner == index for index, name in enumerate(blocks.texts)
        }
        values = {name: [blocks.values(run, metric) for run in found] for name, found in runs.items()}
        rows = {name: [value for value, _ in found] for name, found in values.items()}
        sizes = [size for found in values.values() for _, size in found if size is not None]
        if not sizes:
            raise InputError("No run was finished, so there is nothing to compare.")
        weights = sizes[0]
    return {
        part: Measure({name: np.stack(found)[:, mask] for name, found in rows.items()}, weights[mask])
        for part, mask in parts.items()
        if mask.any()
    }


def _correct(run: Run | None, items: int) -> Array:
    if run is None:
        return np.full(items, np.nan)
    table = run.items()
    mask = np.array(table["split"]) == "test"
    correct: Array = np.array(table["correct"])[mask].astype(np.float64)
    return correct


class _Blocks:
    """The blocks of the test texts of a corpus."""

    def __init__(self, corpus: Corpus) -> None:
        tests = corpus.need_lm().tests
        if not tests:
            raise InputError(f"The corpus {corpus.name} has no test text, so there is nothing to compare on.")
        self.texts = list(tests)
        self.of_line: dict[str, NDArray[np.int64]] = {}
        owners: list[int] = []
        sizes: list[int] = []
        for index, (name, lines) in enumerate(tests.items()):
            found, filled = [], BLOCK
            for line in lines:
                if filled >= BLOCK:
                    owners.append(index)
                    sizes.append(0)
                    filled = 0
                filled += len(line.encode()) + 1
                sizes[-1] = filled
                found.append(len(owners) - 1)
            self.of_line[name] = np.array(found)
        self.owner = np.array(owners)
        self.bytes = np.array(sizes, np.float64)

    def values(self, run: Run | None, metric: Metric) -> tuple[Array, Array | None]:
        """The mean of each block, and what it is a mean over: tokens or bytes."""
        if run is None:
            return np.full(len(self.owner), np.nan), None
        table = run.items()
        texts, lines = np.array(table["text"].combine_chunks().to_pylist()), np.array(table["line"])
        nats = np.array(table["nats"]).astype(np.float64)
        total, tokens = np.zeros(len(self.owner)), np.zeros(len(self.owner))
        for name, of_line in self.of_line.items():
            mask = texts == name
            where = of_line[lines[mask]]
            total += np.bincount(where, weights=nats[mask], minlength=len(self.owner))
            tokens += np.bincount(where, minlength=len(self.owner))
        if metric is BITS:
            return total / np.log(2) / self.bytes, self.bytes
        return total / tokens, tokens


def curve_of(run: Run, metric: Metric, figure: str = "test_accuracy") -> list[tuple[float, float]]:
    """Test figures along training: by epoch or by update. Of a classifier, any figure that it was measured by."""
    points: list[tuple[float, float]] = []
    for entry in run.history():
        value: Any
        if metric is ACCURACY:
            at, value = entry["epoch"], entry.get(figure)
        else:
            held_out = [value for name, value in entry["perplexity"].items() if name not in ("train", "dev") and value]
            at, value = entry["step"], float(np.exp(np.mean(np.log(held_out)))) if held_out else None
        if value is not None:
            points.append((float(at), float(value)))
    return points
