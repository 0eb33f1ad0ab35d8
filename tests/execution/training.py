"""Small real runs, and processes that can be killed."""

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.process import BaseProcess
from pathlib import Path

from oratory.runs import Store
from oratory.runs.record import ITEMS, METRICS, MODEL
from tests.program import become, ended, nothing, start_process

ENDS = (MODEL, METRICS, ITEMS)
"""What must be the same to the bit."""
SMALL = {"layers": "1", "width": "8", "context": "8", "train.threads": "1"}
LM = SMALL | {"train.iterations": "12", "train.eval_every": "4", "train.batch": "5", "dropout": "0.1"}
CLASSIFIER = SMALL | {"train.epochs": "3", "train.batch": "5", "dropout": "0.1", "train.keep": "best"}
MLM = LM | {"train.whole_words": "on", "train.mask": "0.3"}
TASKS = {"lm": LM, "classifier": CLASSIFIER, "mlm": MLM}

LINES = [
    "We will go on, and we will go on together.",
    "Yes, we can.",
    "The state of our union is strong!",
    "God bless you all, and thank you.",
    "Our union is new, and it is old.",
    "Freedom will prevail.",
    "Tonight I ask you to pass this law.",
    "No nation can stand alone in this world, and none should.",
    "We can, we will, we must.",
    "Thank you all.",
]
LABELLED = [
    *(f"{number % 2}\t{line} {end}" for end in ("", "Now.") for number, line in enumerate(LINES)),
    "1\tGo on.",
]
"""Texts that do not divide into batches."""


def write_corpus(folder: Path, labelled: Sequence[str] = LABELLED) -> Path:
    """A small corpus in the reference layout."""
    folder.mkdir(parents=True, exist_ok=True)
    write = {
        "train_CLS.tsv": labelled,
        "test_CLS.tsv": ["0\tyes, we can.", "1\tFreedom will prevail here.", "1\tThank you."],
        "train_LM.txt": LINES,
        "test_LM_a.txt": ["We will go on.", "Our union is not alone, and it will prevail tonight."],
        "test_LM_b.txt": ["Thank you all.", "zounds"],
    }
    for name, lines in write.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return folder


def quick(folder: Path) -> Path:
    """A folder in memory where the system has one: runs that are saved after every step wait for nothing else."""
    memory = Path("/dev/shm")
    return Path(tempfile.mkdtemp(dir=memory)) if memory.is_dir() else folder


def free_port() -> int:
    """A port that nobody listens at, and that neither the system nor a Ray (up to 23,999) takes in the meantime."""
    while True:
        port = 24_000 + secrets.randbelow(8_000)
        with socket.socket() as tried, suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port


def words(settings: dict[str, str]) -> list[str]:
    """Settings as the command line has them."""
    return [f"{name}={value}" for name, value in settings.items()]


def command(task: str, corpus: Path, runs: Path, *more: str, **changes: str) -> list[str]:
    """`oratory train ...` of a small run that is saved after every step."""
    settings = TASKS[task] | {"train.save_every": "0"}
    settings |= {name.replace("__", "."): value for name, value in changes.items()}
    return ["train", task, "--data", str(corpus), "--runs", str(runs), *words(settings), *more]


def ends(runs: Path, run: str | None = None) -> dict[str, bytes]:
    """What a finished run left: weights, metrics and results of the items, as bytes."""
    found = Store(runs).open(run or "last")
    assert found.status == "finished"
    assert found.verify() == []
    return {name: (found.folder / name).read_bytes() for name in ENDS}


def fork(arguments: list[str], out: Path, before: Callable[[], None] = nothing) -> BaseProcess:
    """`oratory ...` in a process of its own. Its output is in a file."""
    out.unlink(missing_ok=True)  # What is read there next must not be of the process before.
    return start_process(become, arguments, out, out, before)


def run(arguments: list[str], out: Path, before: Callable[[], None] = nothing) -> tuple[int, str]:
    """The exit code and the output of `oratory ...`."""
    (code,) = ended(fork(arguments, out, before))
    text = out.read_text()
    assert "Traceback" not in text, text
    return code, text


def wait_for(text: str, out: Path, child: BaseProcess | None = None) -> None:
    """Wait until a program has said something, or has ended where it may do so."""
    wait_until(lambda: (out.exists() and text in out.read_text()) or (child is not None and not child.is_alive()))


def wait_until(true: Callable[[], object], seconds: float = 180.0) -> None:
    """Wait until something is so."""
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.002)


def start(arguments: list[str], out: Path, *before: str) -> subprocess.Popen[bytes]:
    """The real program, with its output in a file."""
    with out.open("wb") as file:
        return subprocess.Popen(
            [sys.executable, *before, "-m", "oratory", *arguments],
            stdout=file,
            stderr=file,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
        )
