"""Many processes that train short runs in one store at once, while another one lists them: is any run lost?"""

import multiprocessing
import shutil
import tempfile
import time
from pathlib import Path

from tests.execution.training import SMALL, quick, write_corpus

from oratory.api import train
from oratory.execution.local import PRELOADED
from oratory.runs import Store
from oratory.tables import Table, number

PROCESSES, RUNS = 20, 1000
SHORT = SMALL | {"train.iterations": "2", "train.eval_every": "2", "train.batch": "2"}


def measure(processes: int = PROCESSES, runs: int = RUNS) -> Table:
    with tempfile.TemporaryDirectory() as name:
        place = quick(Path(name))
        write_corpus(place / "corpus")
        began = time.monotonic()
        codes, looks = _train_all(place, processes, runs)
        seconds = time.monotonic() - began
        store = Store(place / "runs")
        listed = store.entries()
        finished = [entry.id for entry in listed if entry.status == "finished"]
        damaged = [found for found in finished if store.verify(found)]
        store.catalogue.rebuild()
        again = [entry.id for entry in store.entries()]
        shutil.rmtree(place)
    counts = {
        "lost": runs - len(finished),
        "damaged": len(damaged),
        "processes that failed": sum(code != 0 for code in codes),
        "unlike the folders": len({*again} ^ {entry.id for entry in listed}),
        "lists while they were trained": looks,
        "seconds": seconds,
    }
    rows = tuple((what, number(count)) for what, count in counts.items())
    return Table(f"{runs:,} runs by {processes} processes in one store", ("what", "count"), rows)


def _train_all(place: Path, processes: int, runs: int) -> tuple[list[int | None], int]:
    """The exit codes of all processes, and how often the store was listed meanwhile."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*PRELOADED, __name__])
    shares = [range(first, runs, processes) for first in range(processes)]
    children = [context.Process(target=_train_some, args=(place, share)) for share in shares]
    for child in children:
        child.start()
    looks = 0
    while any(child.is_alive() for child in children):
        if (place / "runs").is_dir():
            Store(place / "runs").entries()
            looks += 1
        time.sleep(0.2)
    for child in children:
        child.join()
    return [child.exitcode for child in children], looks


def _train_some(place: Path, seeds: range) -> None:
    for seed in seeds:
        train("lm", place / "corpus", SHORT, seed, runs=place / "runs")
