"""Jobs on this machine: as many processes as fit, each with threads of its own."""

import multiprocessing
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any

from oratory.execution.jobs import Job, Outcome, Shared, Step, do, prepare_worker, what_failed

TRIES = 3
"""How often a job is started if its process is killed; it continues from its checkpoint."""
PRELOADED = ["oratory.execution.train", "oratory.execution.jobs", "torch._dynamo"]
"""What the server loads once for all workers; the framework's optimisers want the last one."""
SAVING = 60
"""Seconds that a worker has to save what it is at."""
BRIEF = 0.2
"""Seconds between two steps that a worker tells of."""


class Local:
    """Workers are started once and do one job after the other."""

    here = True
    """Whether it trains on this machine, whose devices can be looked at before."""

    def __init__(self, workers: int | None = None, threads: int = 1) -> None:
        self.threads = threads
        self.workers = workers or max(1, cores() // threads)

    def __call__(self, jobs: Sequence[Job], shared: Shared) -> Iterator[Step | Outcome]:
        waiting = deque(jobs)
        late: list[Job] = []
        """Whose run another process had."""
        pool = [_Worker(shared, self.threads) for _ in range(min(self.workers, len(jobs)))]
        try:
            for worker in pool:
                worker.give(waiting.popleft())
            while busy := [worker for worker in pool if worker.job]:
                for connection in wait([worker.connection for worker in busy]):
                    worker = next(worker for worker in busy if worker.connection is connection)
                    message = worker.hear()
                    if isinstance(message, Outcome):
                        job, worker.job = message.job, None
                        if message.in_use and any(other.job and other.job not in late for other in pool):
                            # Two variants can be the same run, which one of the others trains meanwhile.
                            waiting.append(job)
                            late.append(job)
                            message = None
                        if waiting:
                            worker.give(waiting.popleft())
                    if message is not None:
                        yield message
        finally:
            for worker in pool:
                worker.stop()


class _Worker:
    """A process that waits for jobs, and another one in its place where it is killed."""

    def __init__(self, shared: Shared, threads: int) -> None:
        self.shared, self.threads = shared, threads
        self.job: Job | None = None
        self.tries = 0
        self._start()

    def _start(self) -> None:
        # From a server that has loaded the libraries a process is there at once, and shares no lock with this one.
        context: Any = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
        if os.name == "posix":
            context.set_forkserver_preload(PRELOADED)
        self.connection: Connection
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.shared, self.threads), daemon=True)
        with _no_main():
            self.process.start()
        theirs.close()

    def give(self, job: Job) -> None:
        self.job, self.tries = job, 0
        self._send(job)

    def _send(self, job: Job) -> None:
        self.tries += 1
        with suppress(BrokenPipeError):  # The process is gone, which `hear` will notice.
            self.connection.send(job)

    def hear(self) -> Step | Outcome | None:
        """What it says; nothing where it was killed, and its job is begun again."""
        try:
            message: Step | Outcome = self.connection.recv()
        except (EOFError, ConnectionError):
            # The process is gone. Its run is in the store up to its last checkpoint.
            assert self.job is not None
            self._start()
            if self.tries >= TRIES:
                return Outcome(self.job, None, f"Its process was killed {TRIES} times.")
            self._send(self.job)
            return None
        return message

    def stop(self) -> None:
        """Let it save what it is at, and end."""
        if self.job is not None and self.process.is_alive():
            self.process.terminate()
            with suppress(EOFError, OSError):
                while self.connection.poll(SAVING) and not isinstance(self.connection.recv(), Outcome):
                    pass
        self.connection.close()
        self.process.join(timeout=SAVING)


@contextmanager
def _no_main() -> Iterator[None]:
    """A worker needs nothing of the user's script. Without this it would run it again, and so begin another comparison.

    Python hands the name of the main module to every new process, which imports it unless there is no file of it.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _serve(connection: Connection, shared: Shared, threads: int) -> None:
    import torch

    if hasattr(os, "setsid"):
        os.setsid()  # Ctrl-C on the terminal is for the parent, which then ends us by SIGTERM.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(threads)
    told = 0.0

    def tell(step: Step) -> None:
        nonlocal told
        if time.monotonic() - told >= BRIEF or step.step == 0:
            told = time.monotonic()
            connection.send(step)

    problem = _prepared(shared)
    try:
        while True:
            job = connection.recv()
            connection.send(Outcome(job, None, problem) if problem else do(job, shared, tell))
    except (EOFError, OSError):
        return


def _prepared(shared: Shared) -> str:
    """Make this process ready; why it cannot be, where it cannot."""
    try:
        prepare_worker(shared)
    except Exception as error:  # a user's file may do anything
        return what_failed(error)
    return ""


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
