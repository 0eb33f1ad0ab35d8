"""The machine under a run: versions, device, threads, and being asked to stop."""

import ctypes
import os
import platform
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from typing import Any

import torch

from oratory import __version__
from oratory.errors import InputError
from oratory.training.config import TrainConfig
from oratory.training.parallel import local_rank, process_count
from oratory.training.precision import check_precision

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Names of the C library for what `mallopt` sets."""


def versions() -> dict[str, str]:
    """What ran."""
    libraries = {name: version(name) for name in ("torch", "numpy", "tokenizers", "safetensors")}
    return {"oratory": __version__, "python": platform.python_version(), **libraries}


def device_of(name: str) -> torch.device:
    """The device that a setting names."""
    if name == "auto":
        found = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
        name = found.type if found is not None else "cpu"
    try:
        device = torch.device(name)
        if device.type == "cuda" and process_count() > 1:
            device = torch.device("cuda", local_rank())
            torch.cuda.set_device(device)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError):
        raise InputError(
            f"train.device={name} is not there; cpu always is, and auto takes the best there is."
        ) from None
    return device


def place_of(training: TrainConfig) -> torch.device:
    """The device that a run is trained on, which must be able to compute in the numbers of the run."""
    device = device_of(training.device)
    check_precision(training.precision, device)
    return device


def keep_memory() -> None:
    """Let the allocator of Linux keep what training frees, instead of handing it back and asking again at every step.

    Logits are megabytes that come and go; fetching their pages again would cost a third of an update.
    """
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):  # A Linux with another C library.
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(_MMAP_THRESHOLD, 32 << 20)
        libc.mallopt(_TRIM_THRESHOLD, 512 << 20)


@contextmanager
def threads(number: int | None) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(number or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def asked_to_stop() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed, or the system asked us to end; a second Ctrl-C ends at once."""
    asked: list[int] = []

    def note(number: int, frame: Any) -> None:
        if asked and process_count() > 1:
            os._exit(130)  # To unwind would be to wait for the others, who wait for this one.
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
