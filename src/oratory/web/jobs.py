"""The jobs of the page: real commands in processes of their own, one training for each processor, others in a queue."""

import os
import secrets
import signal
import subprocess  # nosec B404
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from oratory.errors import InputError
from oratory.execution.local import cores
from oratory.records import write_record
from oratory.web.job import (
    FAILED,
    INTERRUPTED,
    RUNNING,
    STOPPED,
    STOPPING,
    WAITING,
    Job,
    outcome,
    read_jobs,
)
from oratory.web.serve import LARGE_PAGES
from oratory.web.work import BusyError

FOLDER = "jobs"
MOST = 50
"""Jobs under way; one more is refused."""
REMEMBERED = 100
"""Jobs that are kept in the list once they have ended."""
LINES = 500
"""Lines of output that are kept of each job."""
LONGEST = 1000
"""Characters of such a line."""
SAVING = 30.0
"""Seconds in which a run that is interrupted saves what it has."""


class Jobs:
    """A queue of commands on one folder of runs. What was under way when the page ended is `interrupted`."""

    def __init__(self, runs: Path, slots: int | None = None, plugins: Sequence[Path] = ()) -> None:
        self.slots = slots or cores()
        self._runs = runs
        self._plugins = plugins
        self._folder = runs / FOLDER
        self._lock = threading.RLock()
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._threads: dict[str, threading.Thread] = {}
        self._lines: dict[str, deque[str]] = {}
        self._closed = False
        self._jobs = {
            job.id: replace(job, state=INTERRUPTED) if job.under_way else job for job in read_jobs(self._folder)
        }

    def all(self) -> list[Job]:
        """Every job, the newest first."""
        with self._lock:
            return list(reversed(self._jobs.values()))

    def get(self, name: str) -> Job:
        with self._lock:
            if name not in self._jobs:
                raise InputError(f"There is no job {name!r}; the list of jobs has them all.")
            return self._jobs[name]

    def lines(self, name: str) -> list[str]:
        """What a job of this server has said so far."""
        self.get(name)
        return list(self._lines.get(name, ()))

    def of_run(self, run: str) -> Job | None:
        """The job under way that trains a run."""
        return next((job for job in self.all() if job.under_way and run in job.runs), None)

    def resume(self, run: str) -> Job:
        """Continue a run that was stopped: by the job that trained it, where there is one, so that it is there once."""
        stopped = (job for job in self.all() if job.can_continue and job.runs == (run,))
        if (job := next(stopped, None)) is not None:
            return self.again(job.id)
        return self.add(f"{run}, continued", ["train", "--resume", run])

    def add(self, title: str, words: Sequence[str], *, slots: int = 1, total: int = 1) -> Job:
        """Put a command into the queue; one that is there already is not added twice."""
        with self._lock:
            for job in self._jobs.values():
                if job.under_way and job.words == tuple(words):
                    return job
            if sum(job.under_way for job in self._jobs.values()) >= MOST:
                raise BusyError(f"{MOST} jobs are under way or wait; stop some, or wait for them.")
            created = datetime.now(UTC).isoformat(timespec="milliseconds")
            name = f"job-{secrets.token_hex(5)}"
            job = Job(id=name, title=title, words=tuple(words), created=created, slots=slots, total=total)
            self._put(job)
            self._forget()
            self._next()
            return self._jobs[name]

    def stop(self, name: str) -> Job:
        """Interrupt a job as Ctrl-C does, so that its runs are saved; one that waits does not begin."""
        with self._lock:
            job = self.get(name)
            if job.state == WAITING:
                self._put(replace(job, state=STOPPED))
                self._next()
            elif job.state == RUNNING:
                self._put(replace(job, state=STOPPING))
                self._processes[name].send_signal(signal.SIGINT)
            return self._jobs[name]

    def again(self, name: str) -> Job:
        """Continue a job that stopped: the same command once more, which finds what it had."""
        job = self.get(name)
        if not job.can_continue:
            raise InputError(f"The job {name} is {job.state}; only one that stopped can continue.")
        with self._lock:
            added = self.add(job.title, job.words, slots=job.slots, total=job.total)
            self._jobs.pop(name, None)
            (self._folder / f"{name}.json").unlink(missing_ok=True)
            return added

    def close(self) -> None:
        """Interrupt what is at work, and wait until it is saved."""
        with self._lock:
            self._closed = True
            for name, process in self._processes.items():
                if self._jobs[name].state == RUNNING:
                    process.send_signal(signal.SIGINT)
            threads = list(self._threads.values())
        for thread in threads:
            thread.join(SAVING)

    def _next(self) -> None:
        """Start what waits and has room, in the order of the queue."""
        if self._closed:
            return
        for job in list(self._jobs.values()):
            if job.state != WAITING:
                continue
            busy = sum(min(each.slots, self.slots) for each in self._jobs.values() if each.state in (RUNNING, STOPPING))
            if busy + min(job.slots, self.slots) > self.slots:
                return  # Nobody overtakes: else what needs all processors would wait for ever.
            self._start(job)

    def _start(self, job: Job) -> None:
        words = [*job.words, "--runs", str(self._runs)]
        words += [word for path in self._plugins for word in ("--plugin", str(path))]
        try:
            process = subprocess.Popen(  # nosec B603 (our own program, and no shell)
                [sys.executable, "-m", "oratory.web.follow", *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=_surroundings(),
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # Ctrl-C at the page must not arrive here twice.
            )
        except OSError as error:
            self._put(replace(job, state=FAILED, message=f"It could not be started: {error.strerror or error}."))
            return
        self._processes[job.id] = process
        self._lines[job.id] = deque(maxlen=LINES)
        self._put(replace(job, state=RUNNING, message=""))
        thread = threading.Thread(target=self._follow, args=(job.id, process), name=job.id, daemon=True)
        self._threads[job.id] = thread
        thread.start()

    def _follow(self, name: str, process: "subprocess.Popen[str]") -> None:
        """Read what a job says, until it ends; then begin the next one."""
        assert process.stdout is not None
        assert process.stdin is not None
        for line in process.stdout:
            self._hear(name, line.rstrip("\n")[:LONGEST])
        code = process.wait()
        process.stdin.close()
        process.stdout.close()
        with self._lock:
            state, message = outcome(code, self._lines[name])
            self._put(replace(self._jobs[name], state=state, message=message))
            del self._processes[name], self._threads[name]
            self._next()

    def _hear(self, name: str, line: str) -> None:
        self._lines[name].append(line)
        with self._lock:
            job = self._jobs[name]
            if (now := job.heard(line)) != job:
                self._put(now)

    def _put(self, job: Job) -> None:
        """Keep the state of a job, on disk too where that is possible."""
        self._jobs[job.id] = job
        with suppress(InputError, OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            write_record(self._folder / f"{job.id}.json", asdict(job))

    def _forget(self) -> None:
        """Drop the oldest jobs that are done."""
        ended = [job.id for job in self._jobs.values() if not job.under_way]
        for name in ended[: max(0, len(ended) - REMEMBERED)]:
            del self._jobs[name]
            self._lines.pop(name, None)
            (self._folder / f"{name}.json").unlink(missing_ok=True)


def _surroundings() -> dict[str, str]:
    """What a command finds around it: a terminal without colours, and nothing that was set for the page alone."""
    found = {**os.environ, "PYTHONUNBUFFERED": "1", "NO_COLOR": "1", "COLUMNS": "100", "PYTHONUTF8": "1"}
    found.pop(LARGE_PAGES, None)
    return found
