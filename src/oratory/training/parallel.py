"""Several processes that train one model: each computes its share of every batch (`torchrun -m oratory train ...`)."""

import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor, distributed, nn

from oratory.errors import Failed, InputError

MEETING = timedelta(seconds=60)
"""How long the processes wait for each other to begin. One that ended before it began is not noticed earlier."""
GRACE = 3.0
"""Seconds more that the framework has to say by itself that they did not meet."""
SOON = 3.0
"""Seconds after which it is said what they wait for."""
PATIENCE = timedelta(minutes=30)
"""How long they wait for each other later: while the leader measures, the others have nothing to do.

Nobody waits so long for a process that is gone: its connections close, and whoever next waits for it is told at once.
"""
DIGITS, SHOWN = 9, 40
"""The longest number that the environment may have, and characters of a wrong one in a message."""

LOST = ("connection", "gloo", "nccl")
"""What the framework speaks of when another process is gone."""


@dataclass(frozen=True)
class Processes:
    """The processes that train together, and which one this is."""

    rank: int = 0
    size: int = 1
    local: int = 0
    """The number of this process on its machine, and of its GPU."""
    wrapped: list[nn.Module] = field(default_factory=list, repr=False, compare=False)
    """The models whose gradients are averaged."""

    @property
    def leads(self) -> bool:
        """Whether this process measures and keeps the record."""
        return self.rank == 0

    def check(self, batch: int, accumulate: int) -> None:
        """Refuse a batch that cannot be shared out."""
        if batch < self.size * accumulate:
            raise InputError(
                f"train.batch={batch} cannot be shared out among {self.size} processes in {accumulate} parts each."
            )

    def share(self, items: Any) -> Any:
        """This process's part of the items of a batch."""
        return items[self.rank :: self.size]

    def wrap(self, model: nn.Module) -> nn.Module:
        """The model with gradients that are averaged over the processes."""
        if self.size == 1:
            return model
        devices = [self.local] if next(model.parameters()).device.type == "cuda" else None
        self.wrapped.append(nn.parallel.DistributedDataParallel(model, device_ids=devices))
        return self.wrapped[-1]

    def total(self, value: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.size > 1:
            distributed.all_reduce(value)
        return value

    def agree(self, value: float) -> float:
        """The leader's number, in every process."""
        if self.size == 1:
            return value
        told = self._number(value)
        distributed.broadcast(told, 0)
        return float(told)

    def any(self, value: bool) -> bool:
        """Whether it is so in one of the processes."""
        return value if self.size == 1 else bool(self.total(self._number(value)))

    def _number(self, value: float) -> Tensor:
        """A number that can be sent."""
        device = f"cuda:{self.local}" if distributed.get_backend() == "nccl" else "cpu"
        return torch.tensor(value, dtype=torch.float64, device=device)


def process_count() -> int:
    """How many processes were started to train together."""
    return _number("WORLD_SIZE", 1)


def leads() -> bool:
    """Whether this process is the one that speaks for all."""
    return process_count() == 1 or _number("RANK", 0) == 0


def local_rank() -> int:
    """The number of this process on its machine."""
    return _number("LOCAL_RANK", 0)


def _number(name: str, usual: int) -> int:
    """What `torchrun` has set, or the usual number where it has not."""
    text = os.environ.get(name, str(usual))
    # Python reads no number of thousands of digits, and nobody has so many processes.
    if not text.isdecimal() or len(text) > DIGITS or int(text) < (name == "WORLD_SIZE"):
        shown = repr(text) if len(text) <= SHOWN else f"{text[:SHOWN]!r}…"
        raise InputError(
            f"{name} in the environment is {shown}; torchrun sets it to a number, else it must not be set."
        )
    return int(text)


@contextmanager
def joined(device: torch.device) -> Iterator[Processes]:
    """The processes that `torchrun` started, or this process alone."""
    size = process_count()
    if size == 1:
        yield Processes()
        return
    missing = [name for name in ("RANK", "MASTER_ADDR", "MASTER_PORT") if not os.environ.get(name)]
    if missing:
        raise InputError(
            f"WORLD_SIZE={size} says that {size} processes train together, but {' and '.join(missing)} are not set; "
            "start them with torchrun, or train in one process without WORLD_SIZE."
        )
    if (rank := _number("RANK", 0)) >= size:  # The framework would wait for the others.
        raise InputError(f"RANK={rank} in the environment must be below WORLD_SIZE={size}; torchrun sets both.")
    try:
        with _ended_by_signals(), _said_if_long(size):
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=MEETING)
    except (RuntimeError, ValueError) as error:
        if _is_lost(error) and "timed out" not in str(error).lower():  # It came, and ended before all had met.
            raise _lost(rank, size, error) from None
        raise InputError(
            f"WORLD_SIZE says that {size} processes train together, but they did not meet: {error}"
        ) from None
    distributed.distributed_c10d._set_pg_timeout(PATIENCE)
    rank = distributed.get_rank()
    members = Processes(rank, size, local_rank())
    try:
        yield members
    except RuntimeError as error:
        if not _is_lost(error):
            raise
        raise _lost(rank, size, error) from None
    finally:
        # An exception keeps the wrapped models alive, and they keep the process group. Whoever let go of such a model
        # later would hold Python's lock while the group waits for its threads, which need that lock to end: a deadlock.
        # And until then the others would not notice that this process has left.
        for model in members.wrapped:
            vars(model).clear()
        distributed.destroy_process_group()


def _is_lost(error: Exception) -> bool:
    """Whether the framework speaks of another process that is gone."""
    return any(word in str(error).lower() for word in LOST)


def _lost(rank: int, size: int, error: Exception) -> Failed:
    reason = re.sub(r"^\[\S+\] |\. .*", "", str(error), flags=re.DOTALL)
    return Failed(f"Process {rank} of {size} lost the others, and ends. The one that ended first says why. ({reason})")


@contextmanager
def _said_if_long(size: int) -> Iterator[None]:
    """Say on stderr what is waited for, unless the others come soon; and wait no longer than was said.

    The framework waits for several things in turn, for each of them as long as for all.
    """
    where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
    waited = f"{MEETING.total_seconds():g} seconds"

    def say(sentence: str) -> None:
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()

    def end() -> None:
        say(f"oratory: WORLD_SIZE says that {size} processes train together, but they did not meet within {waited}.")
        os._exit(2)  # The framework cannot be interrupted.

    sentence = f"Waiting for all {size} processes to meet at {where}, for {waited} at the most."
    timers = [threading.Timer(SOON, say, [sentence]), threading.Timer(MEETING.total_seconds() + GRACE, end)]
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let Ctrl-C end the process at once, and `torchrun`, which asks the others to end when one is lost.

    Python would notice it only after the framework has stopped waiting.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in handlers:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
