"""Processes that belong together, as `torchrun` would start them, but without the time that imports take."""

import os
import pkgutil
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from oratory.errors import InputError
from tests.execution.training import free_port
from tests.program import become, nothing, start_process


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
    """Two processes that train together, each with its rank as the first argument."""
    address = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port or free_port())}
    return [start_process(target, rank, *arguments, environment={**address, "RANK": str(rank)}) for rank in ranks]


def program(rank: int, arguments: list[str], folder: Path, faults: Mapping[int, Fault]) -> None:
    """`oratory ...` as one of several processes, with its output in the file `out RANK`. Faults are by rank."""
    out = folder / f"out {rank}"
    become(arguments, out, out, faults[rank].prepare if rank in faults else nothing)
