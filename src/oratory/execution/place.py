"""Who trains runs: this machine, or a Ray cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from oratory.errors import InputError, unknown
from oratory.execution.jobs import Executor
from oratory.execution.local import Local, start_server, stop_server

LOCAL, RAY = "local", "ray"


def check_place(on: str, workers: int | None = None) -> None:
    """Refuse a place that there is not, before anything is read or loaded."""
    if workers is not None and workers < 1:
        raise InputError(f"--workers {workers}: at least one is needed.")
    if on not in (LOCAL, RAY) and not on.startswith(f"{RAY}://"):
        raise unknown("place", on, (LOCAL, RAY, f"{RAY}://HOST:PORT"))


def executor_of(on: str, workers: int | None = None) -> Executor:
    """Who trains the runs: this machine, or Ray."""
    check_place(on, workers)
    if on == LOCAL:
        start_server()  # What it loads is there when the first run begins.
        return Local(workers)
    from oratory.execution.ray import OnRay

    return OnRay(None if on == RAY else on, workers)


@contextmanager
def no_server_left() -> Iterator[None]:
    """Stop the server that starts workers where a request is refused, so that the process ends at once."""
    try:
        yield
    except InputError:
        stop_server()
        raise
