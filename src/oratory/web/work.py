"""Bounds on what is computed at once, so that many visitors wait a little instead of all getting nothing.

All that takes a while is computed in a few threads that stay: as many as there are processors. The libraries below
PyTorch keep memory for each thread that computes, and more for every length of text it meets, so that the memory of a
server whose every thread computes would grow for hours. Each of these threads computes alone: if one computation were
shared between all processors, every step of it would wait for the slowest of them, and take several times as long
wherever another visitor, a training or another program is at work.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

T = TypeVar("T")
WAITING = 200
"""Requests that may wait for their turn; one more is told to come again."""


class BusyError(Exception):
    """Too many requests wait already. The page answers 429 with this sentence."""


class Work:
    """Turns at the processors: as many at once as there are processors, and a bounded line of those that wait."""

    def __init__(self, at_once: int | None = None, waiting: int = WAITING) -> None:
        at_once = at_once or os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(at_once, "work", torch.set_num_threads, (1,))
        self._places = threading.BoundedSemaphore(at_once + waiting)

    def do(self, make: Callable[[], T]) -> T:
        """What `make` gives, computed when a processor is free; `make` must not ask for a turn of its own."""
        if not self._places.acquire(blocking=False):
            raise BusyError("The page has as much to do as it can hold; try again in a moment.")
        try:
            return self._threads.submit(make).result()
        finally:
            self._places.release()

    def close(self) -> None:
        """Nobody waits any more: what has not begun is not computed."""
        self._threads.shutdown(wait=False, cancel_futures=True)
