"""Several processes that train one model: each computes its share of every batch (`torchrun -m oratory train ...`)."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, distributed, nn

from oratory.errors import Failed, InputError

LOST = ("connection", "gloo", "nccl")
"""What the framework speaks of when another process is gone."""


@dataclass(frozen=True)
class Crew:
    """The processes that train together, and which one this is."""

    rank: int = 0
    size: int = 1
    local: int = 0
    """The number of this process on its machine, and of its GPU."""

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
        return nn.parallel.DistributedDataParallel(model, device_ids=devices)

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
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    except (RuntimeError, ValueError) as error:
        raise InputError(
            f"WORLD_SIZE says that {size} processes train together, but they did not meet: {error}"
        ) from None
    try:
        yield Crew(distributed.get_rank(), size, int(os.environ.get("LOCAL_RANK", "0")))
    except RuntimeError as error:
        # One that fails says why itself; the others only notice that it is gone.
        if not any(word in str(error).lower() for word in LOST):
            raise
        raise Failed(f"Process {distributed.get_rank()} of {size} lost the others, and ends: {error}") from None
    finally:
        distributed.destroy_process_group()
