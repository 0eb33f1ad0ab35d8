"""Small trained runs, made once for all tests that look inside."""

import tempfile
from functools import cache
from pathlib import Path

from oratory.execution.train import train
from oratory.runs import Run
from oratory.text import Corpus, load_corpus

SENTENCE = "we will keep the peace , and the house will stand with the people of this union today"
SETTINGS = {
    "decoder": ("lm", {}),
    "encoder": ("classifier", {}),
    "filler": ("mlm", {}),
    "window": ("lm", {"pattern": "window(size=3)", "position": "alibi"}),
    "shift": ("lm", {"merge": "shift", "layers": "1"}),
}
_FOLDER = tempfile.TemporaryDirectory(prefix="oratory-small-")


def folder() -> Path:
    """Where the runs live."""
    return Path(_FOLDER.name) / "runs"


@cache
def corpus_folder() -> Path:
    """A corpus of which each line is made from the same few words."""
    made = Path(_FOLDER.name) / "corpus"
    made.mkdir()
    words = SENTENCE.split()
    lines = [" ".join([*words[at % 7 :], *words[: at % 5]]) + " ." for at in range(40)]
    labelled = [f"{at % 2}\t{line if at % 2 else line.upper()}" for at, line in enumerate(lines)]
    write = {
        "train_CLS.tsv": labelled,
        "test_CLS.tsv": labelled[:12],
        "train_LM.txt": lines,
        "test_LM_a.txt": lines[:9],
    }
    for name, content in write.items():
        (made / name).write_text("".join(f"{line}\n" for line in content))
    return made


@cache
def corpus() -> Corpus:
    return load_corpus(corpus_folder())


@cache
def trained(kind: str) -> Run:
    """One of the runs: two layers of two heads, trained for a moment."""
    task, changes = SETTINGS[kind]
    small = {"layers": "2", "width": "16", "context": "24", "train.iterations": "25", "train.lr": "0.01"}
    return train(task, corpus(), small | changes, seed=3, runs=folder())
