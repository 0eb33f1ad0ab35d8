"""Bounds on what is computed at once, so that many visitors wait a little instead of all getting nothing."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

WAITING = 200
"""Requests that may wait for their turn; one more is told to come again."""


class BusyError(Exception):
    """Too many requests wait already. The page answers 429 with this sentence."""


class Work:
    """Turns at the processors: as many at once as there are processors, and a bounded line of those that wait."""

    def __init__(self, at_once: int | None = None, waiting: int = WAITING) -> None:
        self._turns = threading.Semaphore(at_once or os.cpu_count() or 1)
        self._places = threading.BoundedSemaphore((at_once or os.cpu_count() or 1) + waiting)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Compute something inside of this; it begins when a processor is free."""
        if not self._places.acquire(blocking=False):
            raise BusyError("The page has as much to do as it can hold; try again in a moment.")
        try:
            with self._turns:
                yield
        finally:
            self._places.release()
