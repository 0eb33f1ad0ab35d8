"""Texts of a corpus that a model is watched on, in the form in which it was trained on such."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from oratory.errors import InputError
from oratory.inspect.subject import Subject
from oratory.text import Corpus
from oratory.tokens import encode_lm

TOKENS = 16_384
"""Tokens that are looked at, from the whole of the text; more would change little and take long."""
CELLS = 4_000_000
"""Numbers in the largest array of one call, which bounds the memory."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Texts, or windows of running text, as ids without padding."""

    what: str
    ids: tuple[NDArray[np.int64], ...]
    labels: NDArray[np.int64] | None = None
    """Of each text, for a classifier."""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def tokens(self) -> int:
        return sum(map(len, self.ids))

    def batches(self, cost: Callable[[int], int]) -> Iterator[tuple[NDArray[np.int64], Tensor]]:
        """Texts of one length together, with their places among all; the cost is the numbers for one such text."""
        lengths = np.array([len(ids) for ids in self.ids])
        for length in np.unique(lengths):
            alike = np.flatnonzero(lengths == length)
            rows = max(1, CELLS // max(1, cost(int(length))))
            for at in range(0, len(alike), rows):
                chosen = alike[at : at + rows]
                yield chosen, torch.from_numpy(np.stack([self.ids[place] for place in chosen]))


def samples_of(subject: Subject, corpus: Corpus, tokens: int = TOKENS) -> Samples:
    """What is held out for tests: windows of running text, or labelled texts, evenly from all of it."""
    if subject.tokenizer is None:
        raise InputError(f"{subject.name} has no tokenizer, so that it cannot be given a corpus.")
    if subject.config.causal and subject.run is not None:
        return _windows(subject, corpus, tokens)
    labels = None
    if corpus.classifier is not None:
        split = corpus.classifier.test or corpus.classifier.dev or corpus.classifier.train
        texts, labels, what = split.texts, np.array(split.labels), "labelled texts"
    else:
        texts, what = tuple(line for lines in corpus.need_lm().tests.values() for line in lines), "lines"
    chosen = _some(len(texts), max(1, tokens // 32))
    encoded = [np.array(ids, np.int64) for ids in (_encode(subject, texts[place]) for place in chosen)]
    filled = [at for at, ids in enumerate(encoded) if len(ids)]
    if not filled:
        raise InputError(f"The corpus {corpus.name} has no text to watch {subject.name} on.")
    of_run = subject.config.output == "classes" and labels is not None
    kept = labels[chosen][filled] if of_run and labels is not None else None
    return Samples(f"{what} of {corpus.name}, test", tuple(encoded[at] for at in filled), kept)


def _encode(subject: Subject, text: str) -> list[int]:
    try:
        return subject.encode(text)[0]
    except InputError:  # A line without a known token shows nothing.
        return []


def _windows(subject: Subject, corpus: Corpus, tokens: int) -> Samples:
    """Windows that do not overlap; the rest of a text that fills none is left out, unless it is all there is."""
    assert subject.tokenizer is not None
    data, size = corpus.need_lm(), subject.config.context
    encoded = encode_lm(corpus, subject.tokenizer)
    windows = []
    for name in data.tests or ("train",):
        ids = encoded[name].ids.astype(np.int64)
        size_here = min(size, len(ids))
        windows += [ids[at : at + size_here] for at in range(0, len(ids) - size_here + 1, max(1, size_here))]
    windows = [window for window in windows if len(window) > 1]
    if not windows:
        raise InputError(f"The corpus {corpus.name} has no text to watch {subject.name} on.")
    chosen = _some(len(windows), max(1, tokens // size))
    return Samples(f"windows of {size} tokens of {corpus.name}, test", tuple(windows[place] for place in chosen))


def _some(count: int, most: int) -> NDArray[np.int64]:
    """Places of some among many, as even as can be."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))
