"""How much memory each piece of work takes as the text grows: made text of 1, 10 and 100 MB, a process for each.

Memory is what is taken beyond the libraries, which are the same for any text. The last column is the power of the size
that it grows with, over the last two sizes. `python -m benchmarks.memory AUDIT FOLDER` measures one piece of work.
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


def _kneser_ney(folder: Path) -> object:
    from oratory.baselines.counts import KneserNey
    from oratory.text import load_corpus
    from oratory.tokens import encode_lm, train_tokenizer

    corpus = load_corpus(folder)
    tokenizer = train_tokenizer(corpus)
    encoded = encode_lm(corpus, tokenizer)
    counts = KneserNey(encoded["train"].ids, len(tokenizer))
    return [list(counts.nats(name, encoded["test"].ids, [0.75])) for name in counts.orders]


def _svm(folder: Path) -> object:
    from oratory.baselines.classifiers import TfidfSvm
    from oratory.text import load_corpus

    data, svm = load_corpus(folder).need_classifier(), TfidfSvm()
    assert data.test is not None
    svm.fit(data.train)
    return svm.predict(data.test)


def _training(folder: Path) -> object:
    from oratory.api import train

    small = {"layers": "1", "width": "16", "context": "32", "train.iterations": "200", "train.eval_every": "200"}
    return train("lm", folder, small | {"train.threads": "1", "train.eval_train": "off"}, runs=folder / "runs")


WORK: dict[str, Callable[[Path], object]] = {
    "load": _load,
    "audit": _audit,
    "words": _tokens("word"),
    "bpe": _tokens("bpe"),
    "kneser-ney": _kneser_ney,
    "svm": _svm,
    "training": _training,
}


def measured(work: str, folder: Path) -> dict[str, float]:
    """Peak memory in MB, and seconds of the processor, of a piece of work in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.memory", work, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def measure() -> Table:
    found: dict[str, list[dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as made:
        for size in SIZES:
            folder = write_text(Path(made) / str(size), size)
            for work in WORK:
                found.setdefault(work, []).append(measured(work, folder))
    rows = tuple(
        (
            work,
            *(f"{number(each['peak'])} MB, {number(each['seconds'], 1)} s" for each in found[work]),
            _power(found[work]),
        )
        for work in WORK
    )
    return Table("Memory at its peak, and time", ("work", *(f"{size} MB" for size in SIZES), "power"), rows)


def _power(found: list[dict[str, float]]) -> str:
    """The exponent of what is taken beyond the libraries, between the last two sizes."""
    before, after = (max(each["peak"] - each["libraries"], 1.0) for each in found[-2:])
    return number(float(np.log(after / before) / np.log(SIZES[-1] / SIZES[-2])), 2)


def _alone(work: str, folder: Path) -> None:
    import oratory.api  # noqa: F401  # The libraries, which any amount of text needs.

    libraries = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    began = time.process_time()
    WORK[work](folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps({"libraries": libraries, "peak": peak, "seconds": time.process_time() - began}))


if __name__ == "__main__":
    _alone(sys.argv[1], Path(sys.argv[2]))
