"""Processes that belong together, as `torchrun` would start them, but without the time that imports take."""

import multiprocessing
import os
import pkgutil
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from oratory.errors import InputError
from oratory.execution.local import PRELOADED
from tests.execution.training import free_port
from tests.program import become

MORE = (
    "nltk",
    "oratory.cli._progress",
    "oratory.cli.train",
    "oratory.reports.terminal",
    "oratory.exports.track",
    "pydantic.type_adapter",
    "torch.profiler",
    __name__,
)
"""What the command line imports when it runs."""


@dataclass(frozen=True)
class Fault:
    """What happens to a process when it calls a function: an error, or a signal."""

    where: str
    """The function, with its module and its class."""
    what: str | signal.Signals
    call: int = 1

    def prepare(self) -> None:
        """Let it happen in this process."""
        place, _, name = self.where.rpartition(".")
        owner = pkgutil.resolve_name(place)
        real, calls = getattr(owner, name), count(1)

        def faulty(*arguments: Any, **options: Any) -> Any:
            if next(calls) == self.call:
                if isinstance(self.what, str):
                    raise InputError(self.what)
                os.kill(os.getpid(), self.what)
            return real(*arguments, **options)

        setattr(owner, name, faulty)


def start_several(
    target: Callable[..., None], *arguments: Any, ranks: Sequence[int] = (0, 1), port: int | None = None
) -> list[BaseProcess]:
    """Two processes that train together, each with its rank as the first argument.

    They are forked from a server: this process may have threads, of Ray for one, that no fork of it would outlive.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED, *MORE])
    address = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port or free_port())}
    started: list[BaseProcess] = []
    for rank in ranks:
        environment = {**os.environ, **address, "RANK": str(rank)}
        started.append(context.Process(target=_enter, args=(environment, target, rank, *arguments)))
        started[-1].start()
    return started


def _enter(environment: dict[str, str], target: Callable[..., None], *arguments: Any) -> None:
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    target(*arguments)


def program(rank: int, arguments: list[str], folder: Path, faults: Mapping[int, Fault]) -> None:
    """`oratory ...` as one of several processes, with its output in the file `out RANK`. Faults are by rank."""
    out = folder / f"out {rank}"
    become(arguments, out, out, faults[rank].prepare if rank in faults else lambda: None)


def tell(child: BaseProcess, number: int) -> None:
    """Send a signal."""
    assert child.pid is not None
    os.kill(child.pid, number)


def ended(*children: BaseProcess, seconds: float = 180.0) -> list[int]:
    """The exit codes, negative where a signal ended a process. None may be left when the time is over."""
    until = time.monotonic() + seconds
    for child in children:
        child.join(max(0.0, until - time.monotonic()))
    left = [child for child in children if child.exitcode is None]
    for child in left:
        child.kill()
        child.join()
    assert not left, "a process did not end"
    return [child.exitcode for child in children if child.exitcode is not None]
