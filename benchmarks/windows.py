"""One training step with windows of 128 tokens beside full attention, in time and memory.

At a context of 4,096 under several settings, and at growing contexts.

Each measurement is a process of its own, so that the peak of memory is its own too. `python -m benchmarks windows`
also draws `docs/explanation/windows.svg`.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from oratory.tables import Table, number

CONTEXTS = (1024, 2048, 4096, 8192, 16384)
PATTERNS = ("full", "window(size=128)")
STEPS = 4
LARGER: dict[str, Any] = {"vocabulary": 100, "heads": 8, "width": 128}
SETTINGS: dict[str, dict[str, Any]] = {
    "8 heads, width 128, 100 characters": LARGER,
    "base settings, 100 characters": {"vocabulary": 100},
    "base settings, 5,755 words": {"vocabulary": 5755},
    "base settings, 5,755 words, alibi": {"vocabulary": 5755, "position": "alibi"},
}


def step(pattern: str, context: int, vocabulary: int, **changes: Any) -> dict[str, float]:
    """The best time of a training step, and how much the process grew at its peak, in MiB."""
    import torch

    from oratory.model import Transformer
    from oratory.training.tasks import base

    torch.set_num_threads(2)
    model = Transformer(base("lm", vocabulary, pattern=pattern, context=context, **changes))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    ids = torch.randint(0, vocabulary, (1, context + 1), generator=torch.Generator().manual_seed(0))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = []
    for _ in range(STEPS + 1):
        started = time.perf_counter()
        optimizer.zero_grad()
        logits = model(ids[:, :-1]).logits
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        seconds.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # The first step also works out the plan of blocks, once for each pattern and length.
    return {"seconds": min(seconds[1:]), "memory": (peak - before) / 1024}


def measure() -> Table:
    rows = []
    for name, settings in SETTINGS.items():
        rows.append((name, *_cells(_both(4096, settings))))
    growing = {context: _both(context, LARGER) for context in CONTEXTS}
    for context, found in growing.items():
        rows.append((f"8 heads, width 128, 100 characters, context {context:,}", *_cells(found)))
    _draw(growing)
    columns = ("settings (context 4,096 unless said)", "full, s", "window, s", "ratio", "full, MiB", "window, MiB")
    return Table("A training step: 4 layers, batch 1, two threads", columns, tuple(rows))


def _cells(found: dict[str, dict[str, float]]) -> tuple[str, ...]:
    full, window = (found[pattern] for pattern in PATTERNS)
    seconds = (number(full["seconds"], 3), number(window["seconds"], 3), number(window["seconds"] / full["seconds"], 2))
    return (*seconds, number(full["memory"]), number(window["memory"]))


def _both(context: int, settings: dict[str, Any]) -> dict[str, dict[str, float]]:
    return {pattern: alone(pattern, context, settings) for pattern in PATTERNS}


def alone(pattern: str, context: int, settings: dict[str, Any]) -> dict[str, float]:
    """Best of two processes."""
    call = f"step({pattern!r}, {context}, **{settings!r})"
    code = f"import json; from benchmarks.windows import step; print(json.dumps({call}))"
    runs = [
        json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    return {key: min(run[key] for run in runs) for key in runs[0]}


def _draw(growing: dict[int, dict[str, dict[str, float]]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.2), layout="constrained")
    labels = {"seconds": "seconds a step", "memory": "MiB above the model"}
    for axes, (key, label) in zip(figure.subplots(1, 2), labels.items(), strict=True):
        for pattern, colour in zip(PATTERNS, ("#0072B2", "#E69F00"), strict=True):
            values = [found[pattern][key] for found in growing.values()]
            axes.plot(list(growing), values, "o-", color=colour, label=pattern)
        axes.set_xscale("log", base=2)
        axes.set_xticks(list(growing), [f"{context:,}" for context in growing])
        axes.set_yscale("log")
        axes.set_xlabel("context, tokens")
        axes.set_ylabel(label)
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).parent.parent / "docs" / "explanation" / "windows.svg", metadata={"Date": None})
