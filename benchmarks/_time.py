"""The one way to time: best of several, so that what else the machine does counts least."""

import time
from collections.abc import Callable

REPEATS = 3


def best(work: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of the quickest of several calls."""
    return min(_seconds(work) for _ in range(repeats))


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
