"""Whether several threads are slower than one here and now, as they are where other programs need the processor."""

import os
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import TYPE_CHECKING

import torch

from oratory.tables import counted

if TYPE_CHECKING:
    from oratory.training.loop import Fit

UPDATES = 4
"""Updates that are timed with each number of threads; the first of them is left out."""
SLOWER = 1.3
"""How many times slower several threads must be before a hint is given."""


def is_busy(threads: int) -> bool:
    """Whether other programs need more of the processor than these threads leave them."""
    try:
        return os.getloadavg()[0] + threads > (os.cpu_count() or 1) + 1
    except (OSError, AttributeError):  # A system that does not say.
        return False


def time_threads(make: Callable[[], "Fit"], threads: int) -> dict[int, float]:
    """Seconds of an update with one thread and with several, of a training that is thrown away."""
    found = {}
    for number in (1, threads):
        torch.set_num_threads(number)
        fit = make()
        fit.measured = 0  # Nothing is measured before the first update.
        events, took = fit.run(), []
        for _ in range(min(UPDATES, fit.steps - 1, fit.eval_every - 1)):
            began = time.perf_counter()
            next(events)
            took.append(time.perf_counter() - began)
        found[number] = median(took[1:] or took or [0.0])
    return found


def advice(seconds: Mapping[int, float]) -> str:
    """A sentence where one thread is faster; else nothing. The run itself keeps the threads that it would have had."""
    most = max(seconds)
    if most == 1 or not seconds[1] * SLOWER < seconds[most]:
        return ""
    return (
        f"Other programs need the processor: with {counted(most, 'thread')} an update takes "
        f"{seconds[most] / seconds[1]:.1f} times as long as with 1. With train.threads=1 this run would end sooner."
    )
