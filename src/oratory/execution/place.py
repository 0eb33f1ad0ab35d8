"""Who trains runs: this machine, or a Ray cluster."""

from collections.abc import Iterator
from contextlib import contextmanager

from oratory.errors import InputError
from oratory.execution.jobs import Executor
from oratory.execution.local import Local, start_server, stop_server


def executor_of(on: str, workers: int | None = None) -> Executor:
    """Who trains the runs: this machine, or Ray."""
    if workers is not None and workers < 1:
        raise InputError(f"--workers {workers}: at least one is needed.")
    if on == "local":
        start_server()  # What it loads is there when the first run begins.
        return Local(workers)
    if on == "ray" or on.startswith("ray://"):
        from oratory.execution.ray import OnRay

        return OnRay(None if on == "ray" else on, workers)
    raise InputError(f"There is no place {on!r} to train on. Known: local, ray, ray://HOST:PORT.")


@contextmanager
def no_server_left() -> Iterator[None]:
    """Stop the server that starts workers where a request is refused, so that the process ends at once."""
    try:
        yield
    except InputError:
        stop_server()
        raise
