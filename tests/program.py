"""The real program without its start: `oratory ...` in a fork of a process that has imported all of it.

Importing torch takes seconds, and the tests run the program hundreds of times. Each call is a process of its own all
the same, with its own folder, environment and output; only what is imported is shared.
"""

import json
import os
import pkgutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from oratory.cli import main

MORE = (
    "matplotlib.backends.backend_agg",
    "nltk.tokenize",
    "optuna",
    "sklearn.svm",
    "torch._dynamo",
    "transformers",
    "typst",
)
"""What commands import when they run."""


class Program:
    """A process that waits for command lines, and runs each in a child."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._calls = 0
        self._server: subprocess.Popen[str] | None = None

    def __call__(self, *arguments: str | Path, cwd: Path, seconds: float = 300.0) -> subprocess.CompletedProcess[str]:
        """`oratory ...` to its end."""
        if self._server is None:
            command = [sys.executable, "-m", "tests.program"]
            pipe = subprocess.PIPE
            self._server = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=Path(__file__).parents[1])
        asked, answers = self._server.stdin, self._server.stdout
        assert asked is not None
        assert answers is not None
        self._calls += 1
        out, err = (self._folder / f"{self._calls}.{kind}" for kind in ("out", "err"))
        words = [str(argument) for argument in arguments]
        call = {
            "arguments": words,
            "cwd": str(cwd),
            "environment": dict(os.environ),
            "out": str(out),
            "err": str(err),
            "seconds": seconds,
        }
        asked.write(json.dumps(call) + "\n")
        asked.flush()
        code = json.loads(answers.readline())
        return subprocess.CompletedProcess(["oratory", *words], code, out.read_text(), err.read_text())

    def close(self) -> None:
        """Let the process end."""
        if self._server is not None:
            self._server.communicate(timeout=120)


def import_everything() -> None:
    """Import all of the program, and what its commands import when they run."""
    import oratory

    for found in pkgutil.walk_packages(oratory.__path__, "oratory."):
        if not found.name.endswith("__main__"):
            import_module(found.name)
    for name in MORE:
        with suppress(ImportError):
            import_module(name)


def _serve() -> None:
    """Answer each line of stdin, a call, with a line on stdout, its exit code."""
    import_everything()
    for line in sys.stdin:
        call = json.loads(line)
        child = os.fork()
        if not child:
            become(call["arguments"], Path(call["out"]), Path(call["err"]), partial(_enter, call))
        signal.signal(signal.SIGALRM, lambda *_, child=child: os.kill(child, signal.SIGKILL))
        signal.setitimer(signal.ITIMER_REAL, call["seconds"])
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdout.write(f"{code}\n")
        sys.stdout.flush()


def _enter(call: dict[str, Any]) -> None:
    """Go where a call was made."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(call["environment"])
    os.chdir(call["cwd"])
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdin = os.fdopen(0)


def become(arguments: list[str], out: Path, err: Path, before: Callable[[], None]) -> NoReturn:
    """`oratory ...` to its end, in a child that was just forked. Its output may go to one file, or to two."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
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


if __name__ == "__main__":
    _serve()
