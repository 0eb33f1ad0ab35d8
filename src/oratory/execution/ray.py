"""Jobs on Ray: a cluster of any number of machines, or a Ray on this one that is started for the call.

A worker that sees the folder of runs trains into it, as a process of this machine would. One that does not trains into
a folder of its own machine, and the run comes back as bytes that are written into the store here.
"""

import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from oratory.errors import Failed, InputError
from oratory.execution.jobs import Job, Outcome, Shared, Step
from oratory.execution.local import TRIES, cores
from oratory.execution.ray_worker import ReportedSteps, WorkOrder, receive, work
from oratory.files import write_bytes

BRIEF = 0.2
"""Seconds between two looks at what the workers reported."""
ANSWER = 10.0
"""Seconds in which something must answer at the address of a cluster."""
SHAKY = ("Starting Ray client server failed", "ZombieProcess")
"""What a cluster says when the server that it starts for us ends at once, as happens on a busy machine."""
LEAVE = 60.0
"""Seconds that workers have to save their state when the comparison is stopped."""


class OnRay:
    """Every job is a task with one processor. A task whose worker was killed is begun again by Ray."""

    def __init__(self, address: str | None = None, workers: int | None = None) -> None:
        self.ray = _ray()
        self.address = address
        self.workers = workers

    def __call__(self, jobs: Sequence[Job], shared: Shared) -> Iterator[Step | Outcome]:
        from oratory.runs import Store

        store = Store(shared.runs)
        with _connected(self.ray, self.address), _token(store.folder) as token:
            finished = frozenset(entry.id for entry in store.entries() if entry.status == "finished")
            try:
                yield from self._work(jobs, WorkOrder(shared, token, finished))
            except ConnectionError:
                raise Failed(
                    f"The connection to {self.address or 'Ray'} was lost. The same command again continues."
                ) from None

    def _work(self, jobs: Sequence[Job], order: WorkOrder) -> Iterator[Step | Outcome]:
        ray = self.ray
        task = ray.remote(num_cpus=1, max_retries=TRIES - 1)(work)
        # It is started again if its machine is lost; the lost steps are reported again a second later.
        progress = ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)(ReportedSteps).remote()
        given = ray.put(order)
        waiting = deque(enumerate(jobs))
        running: dict[Any, int] = {}
        try:
            while waiting or running:
                while waiting and len(running) < (self.workers or len(jobs)):
                    number, job = waiting.popleft()
                    running[task.remote(job, number, given, progress)] = number
                done, _ = ray.wait([*running], timeout=BRIEF)
                # A step that arrives after the outcome of its job is dropped.
                under_way = set(running.values())
                for number, step, steps in ray.get(progress.take.remote()):
                    if number in under_way:
                        yield Step(jobs[number], step, steps)
                for reference in done:
                    yield self._outcome(jobs[running.pop(reference)], reference, order.shared.runs)
        finally:
            self._stop([*running])

    def _outcome(self, job: Job, reference: Any, runs: str) -> Outcome:
        """What came of a job, with its run in the store."""
        errors = self.ray.exceptions
        try:
            outcome: Outcome
            outcome, parcel = self.ray.get(reference)
            if parcel is not None:
                receive(parcel, runs)
            return outcome
        except InputError as error:
            return Outcome(job, None, str(error))
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError):
            return Outcome(job, None, f"Its process was killed {TRIES} times.")
        except errors.RayError as error:
            return Outcome(job, None, _reason(error))

    def _stop(self, references: list[Any]) -> None:
        """Let the workers save their state."""
        if not references:
            return
        with suppress(ConnectionError, self.ray.exceptions.RayError):
            for reference in references:
                self.ray.cancel(reference, force=False, recursive=False)
            self.ray.wait(references, num_returns=len(references), timeout=LEAVE)


def _ray() -> Any:
    try:
        import ray
    except ImportError:
        raise InputError("Ray is not installed: pip install 'oratory[cluster]'") from None
    return ray


@contextmanager
def _token(folder: Path) -> Iterator[str]:
    """A file in the folder that nobody else could have made."""
    path = folder / f".ray-{token_hex(8)}"
    write_bytes(path, b"Whoever sees this sees the runs.\n")
    try:
        yield path.name
    finally:
        path.unlink(missing_ok=True)


@contextmanager
def _connected(ray: Any, address: str | None) -> Iterator[None]:
    """A Ray to work with, left as it was found."""
    if ray.is_initialized():
        if address is not None:
            raise InputError(f"This process uses another Ray already; ray.shutdown() first, to use {address}.")
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        with _started(ray) if address is None else _reached(ray, address):
            yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)  # Ray has put one of its own there.


@contextmanager
def _started(ray: Any) -> Iterator[None]:
    """A Ray on this machine, with nothing left of it afterwards."""
    # Sockets live in the folder, and their paths must be short. It has a new name, and is ours alone.
    folder = tempfile.mkdtemp(prefix="oratory-", dir="/tmp" if os.name == "posix" else None)  # nosec B108
    try:
        # Ray prints on stdout that a worker was killed; stdout is for the result.
        with _environment(), redirect_stdout(sys.stderr):
            try:
                _init(ray, folder)
                yield
            finally:
                ray.shutdown()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _init(ray: Any, folder: str) -> None:
    try:
        ray.init(
            address="local",
            num_cpus=cores(),
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            _node_ip_address="127.0.0.1",
            _temp_dir=folder,
        )
    except (ConnectionError, RuntimeError) as error:
        raise Failed(f"Ray does not start on this machine ({_line(error)}); --on local does without it.") from None


@contextmanager
def _environment() -> Iterator[None]:
    """No statistics of use; and a token, without which others on the network could use our Ray.

    Where none is given Ray would write one into the home folder, and leave it there.
    """
    before = dict(os.environ)
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if "RAY_AUTH_MODE" not in before:
        os.environ.setdefault("RAY_AUTH_TOKEN", token_hex(32))
    try:
        yield
    finally:  # Ray itself has set some more.
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


@contextmanager
def _reached(ray: Any, address: str) -> Iterator[None]:
    """A cluster, whose workers get this Oratory."""
    import oratory

    _reach(address)
    options = {
        "log_to_driver": False,
        "logging_level": "ERROR",
        "runtime_env": {"py_modules": [str(Path(oratory.__file__).parent)]},
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Where no Ray answers it warns; the error says so too.
            _connect(ray, address, options)
        yield
    finally:
        ray.shutdown()


def _connect(ray: Any, address: str, options: dict[str, Any], tries: int = TRIES) -> None:
    try:
        ray.init(address, **options)
    except (ConnectionError, RuntimeError) as error:
        if tries > 1 and any(words in str(error) for words in SHAKY):
            ray.shutdown()
            return _connect(ray, address, options, tries - 1)
        raise InputError(
            f"The Ray at {address} does not take us ({_line(error)}); it must be of the same version and Python, "
            "and where it asks for a token RAY_AUTH_MODE=token and RAY_AUTH_TOKEN say it."
        ) from None


def _reach(address: str) -> None:
    """Make sure that something answers there: Ray itself would try for most of a minute."""
    parts = urlsplit(address)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or not port:
        raise InputError(f"{address!r} is no address of a Ray; it looks like ray://HOST:10001.")
    try:
        socket.create_connection((host, port), timeout=ANSWER).close()
    except OSError as error:
        raise InputError(
            f"No Ray answers at {address} ({error.strerror or error}); on its first machine: ray start --head, and the "
            "port for others is 10001."
        ) from None


def _reason(error: Exception) -> str:
    """Why Ray could not do a job."""
    cause = getattr(error, "cause", None)
    return f"{type(cause).__name__}: {_line(cause)}" if cause else f"Ray could not do it: {_line(error)}"


def _line(error: object) -> str:
    """The last line of what an error says: the first ones are where it was."""
    return ([line.strip() for line in str(error).splitlines() if line.strip()] or ["it does not say why."])[-1]
