"""A contender in a process of its own, which does its work when asked.

Each has the allocator, the threads and the libraries that it would have alone; waiting, it takes no time from others.
"""

import gc
import sys
import time
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from oratory.bench.work import Contender

REST = 0.02
"""Seconds before a turn, in which the threads of the one before fall asleep."""
PATIENCE = 600.0
"""Seconds after which a contender that does not answer is given up."""


class Worker:
    """One contender, and the times of its calls."""

    def __init__(self, contender: Contender, threads: int, warm: int) -> None:
        self.name, self.factor = contender.name, contender.factor
        self.seconds: list[float] = []
        self.peak = 0.0
        """MiB of the whole process at most."""
        # Not forked: a child would inherit the memory and the libraries of this process.
        context: Any = get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, contender, threads, warm), daemon=True)
        self._process.start()
        theirs.close()
        self.failed = self._answer()

    def turn(self, calls: int) -> None:
        """Let it work so many times."""
        time.sleep(REST)
        self._connection.send(calls)
        seconds, self.peak = self._answer()
        self.seconds += [self.factor * taken for taken in seconds]

    def end(self) -> None:
        """Let the process end."""
        with suppress(OSError):
            self._connection.send(0)
        self._process.join(5)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def _answer(self) -> Any:
        try:
            if self._connection.poll(PATIENCE):
                return self._connection.recv()
        except EOFError:
            pass
        return "the process ended, or did not answer"


def _serve(connection: Connection, contender: Contender, threads: int, warm: int) -> None:
    """Work until told that it is over."""
    import torch

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    try:
        call = contender.make()
        for _ in range(warm):
            call()
    except Exception as error:  # A peer of another version may break in any way; the others go on.
        connection.send(f"{type(error).__name__}: {error}")
        return
    connection.send("")
    while calls := connection.recv():
        gc.collect()
        seconds = []
        for _ in range(calls):
            started = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - started)
        connection.send((seconds, _peak(contender.programs)))


def _peak(programs: bool) -> float:
    """MiB at most, of this process or of the largest program it ran; not a number where the system does not tell."""
    try:
        import resource
    except ImportError:
        return float("nan")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    most = resource.getrusage(resource.RUSAGE_CHILDREN if programs else resource.RUSAGE_SELF).ru_maxrss
    status = Path("/proc/self/status")
    if not programs and status.exists():
        # Linux counts what the process that started this one had, too, unless it is asked here.
        most = next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return most / unit
