"""One training step with windows of 128 tokens beside full attention, at growing contexts: time and memory.

Each measurement is a process of its own, so that the peak of memory is its own too. `python -m benchmarks windows`
also draws `docs/windows.svg`.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

from oratory.tables import Table, number

CONTEXTS = (1024, 2048, 4096, 8192, 16384)
PATTERNS = ("full", "window(size=128)")
STEPS = 3


def step(pattern: str, context: int) -> dict[str, float]:
    """The best time of a training step, and how much the process grew at its peak, in MiB."""
    import torch

    from oratory.model import Transformer, base

    torch.set_num_threads(2)
    model = Transformer(base("lm", 5755, position="rope", pattern=pattern, context=context))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    ids = torch.randint(0, 5755, (1, context + 1), generator=torch.Generator().manual_seed(0))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds, in_blocks = [], []
    for _ in range(STEPS + 1):
        started = time.perf_counter()
        optimizer.zero_grad()
        hidden = model(ids[:, :-1]).logits
        loss = torch.nn.functional.cross_entropy(hidden.flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        seconds.append(time.perf_counter() - started)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": min(seconds[1:]), "memory": (peak - before) / 1024}


def measure() -> Table:
    results = {pattern: {context: _alone(pattern, context) for context in CONTEXTS} for pattern in PATTERNS}
    full, window = (results[pattern] for pattern in PATTERNS)
    rows = tuple(
        (
            number(context),
            number(full[context]["seconds"], 3),
            number(window[context]["seconds"], 3),
            number(window[context]["seconds"] / full[context]["seconds"], 2),
            number(full[context]["memory"]),
            number(window[context]["memory"]),
        )
        for context in CONTEXTS
    )
    _draw(results)
    columns = ("context", "full, s", "window, s", "ratio", "full, MiB", "window, MiB")
    return Table("A training step: 4 layers, 2 heads, width 64, batch 1, two threads", columns, rows)


def _alone(pattern: str, context: int) -> dict[str, float]:
    """Best of two processes."""
    code = f"import json; from benchmarks.windows import step; print(json.dumps(step({pattern!r}, {context})))"
    runs = [
        json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(2)
    ]
    return {key: min(run[key] for run in runs) for key in runs[0]}


def _draw(results: dict[str, dict[int, dict[str, float]]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.2), layout="constrained")
    for axes, key, label in zip(
        figure.subplots(1, 2), ("seconds", "memory"), ("seconds a step", "MiB above the model"), strict=True
    ):
        for (pattern, found), colour in zip(results.items(), ("#0072B2", "#E69F00"), strict=True):
            axes.plot(list(found), [value[key] for value in found.values()], "o-", color=colour, label=pattern)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xlabel("context, tokens")
        axes.set_ylabel(label)
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).parent.parent / "docs" / "windows.svg", metadata={"Date": None})
