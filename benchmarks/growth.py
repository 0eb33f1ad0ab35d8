"""How time grows: each piece of work at once, ten and a hundred times its size, and the power of the size that fits.

Seconds are those of the processor, with one thread, so that what else the machine does counts little; the least of
several where the work is short. A power of 1 is linear. Loading libraries comes before, and is not counted.
`python -m benchmarks growth works=audit,runs` measures some of it.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._texts import write_text
from oratory.tables import Table, number

TEXT = (0.1, 1.0, 10.0)
"""Millions of bytes."""
CONTEXTS = (200, 2_000, 20_000)
RUNS = (100, 1_000, 10_000)
SEEDS = (1, 10, 100)
UPDATES = (20, 200, 2_000)
SHORT = 1.0
"""Seconds below which work is measured several times."""
SMALL = {"layers": "1", "width": "8", "context": "8", "train.threads": "1", "train.batch": "8"}

Work = Callable[[Any], Callable[[], object]]
"""Given a size, makes everything ready, and returns what is timed."""


@cache
def _place() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()


@cache
def _text(size: float) -> Path:
    return write_text(Path(_place().name) / str(size), size)


@contextmanager
def _new_cache() -> Iterator[None]:
    """Nothing is known from earlier work."""
    with tempfile.TemporaryDirectory(dir=_place().name) as folder:
        before = os.environ.get("ORATORY_CACHE")
        os.environ["ORATORY_CACHE"] = folder
        try:
            yield
        finally:
            os.environ.pop("ORATORY_CACHE")
            os.environ |= {"ORATORY_CACHE": before} if before else {}


def _audit(size: float) -> Callable[[], object]:
    from oratory.text import audit, load_corpus

    folder = _text(size)
    return lambda: audit(load_corpus(folder))


def _tokens(size: float) -> Callable[[], object]:
    from oratory.text import load_corpus
    from oratory.tokens import encode_lm, train_tokenizer

    corpus = load_corpus(_text(size))
    return lambda: encode_lm(corpus, train_tokenizer(corpus, spelling=True))


def _baselines(size: float) -> Callable[[], object]:
    from oratory.text import load_corpus
    from oratory.training.baselines import measure_baselines

    corpus = load_corpus(_text(size))
    return lambda: measure_baselines(corpus)


def _attention(pattern: str) -> Work:
    def prepared(context: int) -> Callable[[], object]:
        import torch

        from oratory.model import Transformer
        from oratory.training.tasks import base

        torch.set_num_threads(1)
        model = Transformer(base("lm", 100, pattern=pattern, context=context, layers=1, heads=4, width=32))
        ids = torch.randint(0, 100, (1, context), generator=torch.Generator().manual_seed(0))
        model(ids)  # The plan of blocks is made once for each length.
        return lambda: model(ids).logits.sum().backward()

    return prepared


def _listing(count: int) -> Callable[[], object]:
    from tests.runs.records import write_many

    from oratory.runs.listing import grouped
    from oratory.runs.store import Store

    folder = Path(_place().name) / f"{count} runs"
    if not folder.exists():
        write_many(folder, count)
    store = Store(folder)
    store.catalogue.rebuild()
    return lambda: grouped(store.entries(), sort="accuracy")


def _trained(settings: dict[str, str], seeds: int) -> Callable[[], object]:
    from tests.execution.training import write_corpus

    from oratory.execution.train import train
    from oratory.text import load_corpus

    corpus = load_corpus(write_corpus(Path(_place().name) / "corpus"))

    def work() -> None:
        with tempfile.TemporaryDirectory(dir=_place().name) as runs:
            for seed in range(seeds):
                train("lm", corpus, SMALL | settings, seed=seed, runs=runs)

    return work


def _seeds(seeds: int) -> Callable[[], object]:
    return _trained({"train.iterations": "10", "train.eval_every": "10"}, seeds)


def _updates(updates: int) -> Callable[[], object]:
    return _trained({"train.iterations": str(updates), "train.eval_every": str(updates)}, 1)


WORKS: dict[str, tuple[str, tuple[float, ...], Work]] = {
    "audit": ("MB of text", TEXT, _audit),
    "words": ("MB of text", TEXT, _tokens),
    "baselines": ("MB of text", TEXT, _baselines),
    "window": ("tokens of context", CONTEXTS, _attention("window(size=64)")),
    "runs": ("runs listed and grouped", RUNS, _listing),
    "seeds": ("seeds", SEEDS, _seeds),
    "updates": ("updates", UPDATES, _updates),
}


def measure(works: str = ",".join(WORKS)) -> Table:
    rows = []
    for name in works.split(","):
        unit, sizes, work = WORKS[name]
        with _new_cache():
            work(sizes[0])()  # Whatever is loaded or made ready once.
        seconds = [_seconds(work(size)) for size in sizes]
        cells = (f"{_size(size)}: {number(taken, 3)}" for size, taken in zip(sizes, seconds, strict=True))
        last = float(np.log(seconds[-1] / seconds[-2]) / np.log(sizes[-1] / sizes[-2]))
        rows.append((name, unit, *cells, number(_power(sizes, seconds), 2), number(last, 2)))
    columns = ("work", "size in", "once", "ten times", "a hundred times", "power", "of the last two")
    return Table("Seconds of the processor by size", columns, tuple(rows))


def _size(size: float) -> str:
    return f"{size:,.1f}" if size != int(size) else f"{int(size):,}"


def _seconds(work: Callable[[], object]) -> float:
    taken = float("inf")
    for _ in range(3):
        with _new_cache():
            began = time.process_time()
            work()
            now = time.process_time() - began
        taken = min(taken, now)
        if now > SHORT:
            break
    return taken


def _power(sizes: tuple[float, ...], seconds: list[float]) -> float:
    """The slope of the line through the logarithms, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
