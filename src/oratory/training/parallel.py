"""Several processes that train one model: each computes its share of every batch (`torchrun -m oratory train ...`)."""

import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor, distributed, nn

from oratory.errors import Failed, InputError

MEETING = timedelta(minutes=5)
"""How long the processes wait for each other to begin."""
PATIENCE = timedelta(minutes=30)
"""How long they wait for each other later: while the leader measures, the others have nothing to do."""

LOST = ("connection", "gloo", "nccl")
"""What the framework speaks of when another process is gone."""


@dataclass(frozen=True)
class Crew:
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
        device = f"cuda:{self.local}" if distributed.get_backend() == "nccl" else "cpu"
        told = torch.tensor(value, dtype=torch.float64, device=device)
        distributed.broadcast(told, 0)
        return float(told)


def crew_size() -> int:
    """How many processes were started to train together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def leads() -> bool:
    """Whether this process is the one that speaks for all."""
    return os.environ.get("RANK", "0") == "0"


@contextmanager
def crew(device: torch.device) -> Iterator[Crew]:
    """The crew that `torchrun` started, or this process alone."""
    size = crew_size()
    if size == 1:
        yield Crew()
        return
    try:
        with _ended_by_interrupt():
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=MEETING)
    except (RuntimeError, ValueError) as error:
        raise InputError(
            f"WORLD_SIZE says that {size} processes train together, but they did not meet: {error}"
        ) from None
    distributed.distributed_c10d._set_pg_timeout(PATIENCE)
    rank = distributed.get_rank()
    members = Crew(rank, size, int(os.environ.get("LOCAL_RANK", "0")))
    try:
        yield members
    except RuntimeError as error:
        if not any(word in str(error).lower() for word in LOST):
            raise
        reason = re.sub(r"^\[\S+\] |\. .*", "", str(error), flags=re.DOTALL)
        raise Failed(
            f"Process {rank} of {size} lost the others, and ends. The one that ended first says why. ({reason})"
        ) from None
    finally:
        # An exception keeps the wrapped models alive, and they keep the process group. Whoever let go of such a model
        # later would hold Python's lock while the group waits for its threads, which need that lock to end: a deadlock.
        # And until then the others would not notice that this process has left.
        for model in members.wrapped:
            vars(model).clear()
        distributed.destroy_process_group()


@contextmanager
def _ended_by_interrupt() -> Iterator[None]:
    """Let Ctrl-C end the process at once. Python would notice it only after the framework has stopped waiting."""
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
