"""Jobs on this machine: as many processes as fit, each with threads of its own."""

import math
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any

from oratory.execution.jobs import Job, Outcome, Shared, Step, do, prepare_worker, what_failed

TRIES = 3
"""How often a job is started if its process is killed; it continues from its checkpoint."""
PRELOADED = ["oratory.execution.train", "oratory.execution.jobs", "pandas"]
"""What the server loads once for all workers; tables that are written want the third."""
SAVING = 60
"""Seconds that a worker has to save its state."""
AHEAD = 2
"""Jobs for each worker of which the next one is chosen."""
BRIEF = 0.2
"""Seconds between two steps that a worker tells of."""


def start_server() -> None:
    """Start the server that workers come from, unless it is there. It loads the libraries while this process goes on.

    From it a process is there at once, and shares no lock with this one.
    """
    if os.name != "posix":
        return
    multiprocessing.set_forkserver_preload(PRELOADED)
    resource_tracker.ensure_running()  # The server wants it, and starting it would let Ctrl-C through again.
    # Ctrl-C is for this process, and would be a traceback of the server's while that loads.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def stop_server() -> None:
    """End the server, though it may still be loading: until it has ended, it holds open what this process prints to."""
    server: Any = forkserver._forkserver
    if os.name == "posix" and server._forkserver_pid is not None:
        with suppress(ProcessLookupError):
            os.kill(server._forkserver_pid, signal.SIGKILL)
        server._stop()


class Local:
    """Workers are started once and do one job after the other."""

    here = True
    """Whether it trains on this machine, whose devices can be looked at before."""

    def __init__(self, workers: int | None = None, threads: int = 1) -> None:
        self.threads = threads
        self.workers = workers or max(1, cores() // threads)

    def __call__(self, jobs: Sequence[Job], shared: Shared) -> Iterator[Step | Outcome]:
        waiting = list(jobs)
        late: list[Job] = []
        """Jobs whose run another process had."""
        seconds: dict[str, float] = {}
        """What the quickest run of a variant took; the first one that a process trains is slower."""

        def give_next(worker: "_Worker") -> None:
            """Of the next few jobs the longest, so that in the end no worker waits long for another; untried ones
            before them. All others wait, so that what is stopped has done whole seeds."""
            near = waiting[: AHEAD * self.workers]
            job = max(near, key=lambda job: (job not in late, seconds.get(job.variant, math.inf)))
            waiting.remove(job)
            worker.give(job)

        pool = [_Worker(shared, self.threads) for _ in range(min(self.workers, len(jobs)))]
        try:
            for worker in pool:
                give_next(worker)
            while busy := [worker for worker in pool if worker.job]:
                for connection in wait([worker.connection for worker in busy]):
                    worker = next(worker for worker in busy if worker.connection is connection)
                    message = worker.hear()
                    if isinstance(message, Outcome):
                        job, worker.job = message.job, None
                        if message.run and not message.reused:
                            seconds[job.variant] = min(seconds.get(job.variant, math.inf), worker.took)
                        if message.in_use and any(other.job and other.job not in late for other in pool):
                            # Two variants can be the same run, which one of the others trains meanwhile.
                            waiting.append(job)
                            late.append(job)
                            message = None
                        if waiting:
                            give_next(worker)
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
        self.began = 0.0
        self._start()

    def _start(self) -> None:
        context: Any = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
        start_server()
        self.connection: Connection
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.shared, self.threads), daemon=True)
        with _no_main():
            self.process.start()
        theirs.close()

    def give(self, job: Job) -> None:
        self.job, self.tries, self.began = job, 0, time.monotonic()
        self._send(job)

    @property
    def took(self) -> float:
        """Seconds since it was given its job."""
        return time.monotonic() - self.began

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
        """Let it save its state, and end."""
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
