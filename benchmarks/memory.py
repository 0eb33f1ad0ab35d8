"""How much memory each piece of work takes as the text grows: made text of 1, 10 and 100 MB, a process for each.

`python -m benchmarks memory sizes=1,1000` has other sizes; works=audit,words does some of the work, folder=PLACE keeps
the text. The last column is the power of the size that memory beyond the libraries grows with, over the last two sizes.
`python -m benchmarks.memory AUDIT FOLDER` measures one piece of work.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks._texts import write_text
from oratory.tables import Table, number

SIZES = (1, 10, 100)
"""In millions of bytes of training text, of which a fifth has labels."""
WORDS = 20_000
"""Entries of the vocabulary in training, whose time is that of the output layer; all other work knows every word."""


def _load(folder: Path) -> object:
    from oratory.text import load_corpus

    return load_corpus(folder)


def _audit(folder: Path) -> object:
    from oratory.text import audit, load_corpus

    return audit(load_corpus(folder))


def _tokens(kind: str) -> Callable[[Path], object]:
    def work(folder: Path) -> object:
        from oratory.text import load_corpus
        from oratory.tokens import encode_lm, train_tokenizer

        corpus = load_corpus(folder)
        return encode_lm(corpus, train_tokenizer(corpus, kind, spelling=True))

    return work


def _baselines(folder: Path) -> object:
    from oratory.text import load_corpus
    from oratory.training.baselines import measure_baselines

    return measure_baselines(load_corpus(folder))


def _training(folder: Path) -> object:
    from oratory.api import train

    small = {"layers": "1", "width": "16", "context": "32", "tokenizer": f"word(max_size={WORDS})"}
    training = {"train.iterations": "20", "train.eval_every": "20", "train.threads": "1"}
    training |= {"train.stride": "32", "train.eval_train": "off"}
    return train("lm", folder, small | training, runs=folder / "runs")


WORK: dict[str, Callable[[Path], object]] = {
    "load": _load,
    "audit": _audit,
    "words": _tokens("word"),
    "bpe": _tokens("bpe"),
    "baselines": _baselines,
    "training": _training,
}


def measured(work: str, folder: Path) -> dict[str, float]:
    """Peak memory in MB, and seconds of the processor, of a piece of work in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.memory", work, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(sizes: int | tuple[int, ...] = SIZES, works: str = ",".join(WORK), folder: str = "") -> Table:
    every = (sizes,) if isinstance(sizes, int) else sizes
    found: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for size in every:
            made = Path(folder or temporary) / str(size)
            if not made.exists():
                write_text(made, size)
            for work in works.split(","):
                found.setdefault(work, []).append(measured(work, made))
                print(f"{size} MB, {work}: {_shown(found[work][-1])}", file=sys.stderr, flush=True)
    rows = tuple((work, *map(_shown, each), _power(each, every)) for work, each in found.items())
    return Table("Memory at its peak, and time", ("work", *(f"{size:,} MB" for size in every), "power"), rows)


def _shown(found: dict[str, float]) -> str:
    return f"{number(found['peak'])} MB, {number(found['seconds'], 1)} s"


def _power(found: list[dict[str, float]], sizes: tuple[int, ...]) -> str:
    """The exponent of what is taken beyond the libraries, between the last two sizes."""
    if len(sizes) < 2:
        return ""
    before, after = (max(each["peak"] - each["libraries"], 1.0) for each in found[-2:])
    return number(float(np.log(after / before) / np.log(sizes[-1] / sizes[-2])), 2)


def _peak() -> float:
    """MB at the peak, of this process and of the largest that it has started."""
    return sum(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1000


def _alone(work: str, folder: Path) -> None:
    import torch  # noqa: F401  # The libraries, which any amount of text needs.

    import oratory.api  # noqa: F401

    libraries, began = _peak(), time.process_time()
    WORK[work](folder)
    print(json.dumps({"libraries": libraries, "peak": _peak(), "seconds": time.process_time() - began}))


if __name__ == "__main__":
    _alone(sys.argv[1], Path(sys.argv[2]))
