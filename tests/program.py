"""The real program without its start: `oratory ...` in a fork of a process that has imported all of it.

Importing torch takes seconds, and the tests run the program hundreds of times. Each call is a process of its own all
the same, with its own folder, environment and output; only what is imported is shared. The process that is forked is a
server without threads: the one of the tests may have some, of Ray for one, whose locks no fork of it could open again.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, NoReturn

from oratory.cli import main
from oratory.execution.local import start_server


class Program:
    """`oratory ...` in any folder, with its output kept in files of another one."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._calls = 0

    def __call__(self, *arguments: str | Path, cwd: Path, seconds: float = 300.0) -> subprocess.CompletedProcess[str]:
        """`oratory ...` to its end."""
        self._calls += 1
        out, err = (self._folder / f"{self._calls}.{kind}" for kind in ("out", "err"))
        words = [str(argument) for argument in arguments]
        (code,) = ended(start_process(become, words, out, err, cwd=cwd), seconds=seconds)
        return subprocess.CompletedProcess(["oratory", *words], code, out.read_text(), err.read_text())


def nothing() -> None:
    """What happens before the program begins, usually."""


def start_process(
    target: Callable[..., None], *arguments: Any, environment: Mapping[str, str] | None = None, cwd: Path | None = None
) -> BaseProcess:
    """A function in a fork of the server, in a folder and an environment. It must be one that pickle finds by name."""
    context = multiprocessing.get_context("forkserver")
    start_server()
    around = {**os.environ, **(environment or {})}
    child = context.Process(target=_enter, args=(around, str(cwd or Path.cwd()), target, *arguments))
    child.start()
    return child


def _enter(environment: Mapping[str, str], folder: str, target: Callable[..., None], *arguments: Any) -> None:
    """Go where a call was made."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdin = os.fdopen(0, closefd=False)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})  # The server is without it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    target(*arguments)


def become(arguments: list[str], out: Path, err: Path, before: Callable[[], None] = nothing) -> NoReturn:
    """`oratory ...` to its end, in a child that was just forked. Its output may go to one file, or to two."""
    code = 1
    try:
        for stream, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND), stream)
        sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
        sys.argv = ["oratory", *arguments]
        before()
        main()
        code = 0
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


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
