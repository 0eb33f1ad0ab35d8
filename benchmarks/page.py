"""Fifty visitors of the page at once for a minute: how long do they wait, is any answer an error, does memory grow?

`python -m benchmarks page` starts the real server on a base-size model and asks it over the network of this machine.
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
from pathlib import Path

import httpx
from tests.execution.training import write_corpus

from oratory.api import train
from oratory.tables import Table, number

VISITORS, SECONDS = 50, 60.0
PAUSE = 0.5
"""Seconds that a visitor looks at an answer before the next question."""
LARGE = {"train.iterations": "4", "train.eval_every": "4"}
"""The base model of the task, hardly trained: what is asked of it takes as long."""


def measure(visitors: int = VISITORS, seconds: float = SECONDS) -> Table:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        write_corpus(place / "corpus")
        run = train("lm", place / "corpus", LARGE, runs=place / "runs")
        train("classifier", place / "corpus", {"train.epochs": "1"}, runs=place / "runs")
        paths = ["/runs", "/api/runs", f"/api/runs/{run.id}", f"/runs/{run.id}", "/comparisons", "/api/jobs", "/train"]
        with _server(place) as (home, process):
            httpx.get(f"{home}/runs/{run.id}", timeout=60)  # What is drawn once is drawn before.
            times, wrong, sizes = asyncio.run(_visit(home, paths, visitors, seconds, process.pid))
    times.sort()
    rows = (
        ("answers", number(len(times))),
        ("errors", number(wrong)),
        ("answers each second", number(len(times) / seconds)),
        ("median, ms", number(1000 * times[len(times) // 2])),
        ("95% are within, ms", number(1000 * times[int(0.95 * len(times))])),
        ("memory after a quarter, MB", number(sizes[len(sizes) // 4])),
        ("memory at the end, MB", number(sizes[-1])),
    )
    return Table(f"{visitors} visitors of the page for {seconds:.0f} seconds", ("what", "figure"), rows)


@contextlib.contextmanager
def _server(place: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
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


async def _visit(
    home: str, paths: list[str], visitors: int, seconds: float, pid: int
) -> tuple[list[float], int, list[float]]:
    """The seconds of every answer, the number of errors, and the memory of the server from time to time."""
    times: list[float] = []
    sizes: list[float] = []
    wrong = 0
    end = time.monotonic() + seconds

    async def visitor(first: int) -> None:
        nonlocal wrong
        at = first
        async with httpx.AsyncClient(base_url=home, timeout=60) as client:
            while time.monotonic() < end:
                began = time.monotonic()
                answer = await client.get(paths[at % len(paths)])
                times.append(time.monotonic() - began)
                wrong += answer.status_code != 200
                at += 1
                await asyncio.sleep(PAUSE)

    async def watch() -> None:
        while time.monotonic() < end:
            sizes.append(_memory(pid))
            await asyncio.sleep(1)

    await asyncio.gather(watch(), *(visitor(number) for number in range(visitors)))
    return times, wrong, sizes


def _memory(pid: int) -> float:
    """Megabytes that a process has in memory; nothing where the system does not say."""
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text()) if status.exists() else None
    return int(found[1]) / 1000 if found else 0.0
