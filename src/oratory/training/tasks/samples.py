"""Texts of a corpus that a trained model is looked at with, in the form in which its task gives it texts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from oratory.errors import InputError
from oratory.model import Transformer
from oratory.statistics.clustered import enough_groups
from oratory.text import Corpus
from oratory.tokens import Tokenizer, encode_lm

TOKENS = 16_384
"""Tokens that are looked at, from the whole of the text; more would change little and take long."""
CELLS = 4_000_000
"""Numbers in the largest array of one call, which bounds the memory."""

Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Samples:
    """Texts, or windows of running text, as ids without padding."""

    what: str
    ids: tuple[NDArray[np.int64], ...]
    labels: NDArray[np.int64] | None = None
    """Of each text, where the corpus has them."""
    item: str = "text"
    """What one of these is called."""
    group: str | None = None
    """What a group of them is called, where the corpus says their groups."""
    groups: tuple[str, ...] = ()
    """The group of each; of a window, that of its first token."""

    def counted(self) -> tuple[str, Places]:
        """What counts as one, and the number of each text's: a group where there are enough of them, else a text."""
        if self.group and self.groups:
            _, owners = np.unique(np.array(self.groups), return_inverse=True)
            if enough_groups(np.bincount(owners).astype(np.float64)):
                return self.group, owners
        return self.item, np.arange(len(self))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def tokens(self) -> int:
        return sum(map(len, self.ids))

    def batches(self, cost: Callable[[int], int]) -> Iterator[tuple[Places, Tensor]]:
        """Texts of one length together, with their places among all; the cost is the numbers for one such text."""
        lengths = np.array([len(ids) for ids in self.ids])
        for length in np.unique(lengths):
            alike = np.flatnonzero(lengths == length)
            rows = max(1, CELLS // max(1, cost(int(length))))
            for at in range(0, len(alike), rows):
                chosen = alike[at : at + rows]
                yield chosen, torch.from_numpy(np.stack([self.ids[place] for place in chosen]))

    @torch.no_grad()
    def losses(
        self, model: Transformer, cost: Callable[[int], int], nats: Callable[[Places, Tensor], Tensor]
    ) -> NDArray[np.float64]:
        """The loss of each text, as `nats` gives it for some of them."""
        found = np.zeros(len(self))
        training, device = model.training, model.device
        model.eval()
        try:
            for chosen, ids in self.batches(cost):
                found[chosen] = nats(chosen, ids.to(device)).double().cpu().numpy()
        finally:
            model.train(training)
        return found


def texts_of(corpus: Corpus, encode: Callable[[str], Sequence[int]], tokens: int = TOKENS) -> Samples:
    """Labelled texts or, where there are none, lines: what is held out for tests, evenly from all of it."""
    labels = None
    if corpus.classifier is not None:
        split = corpus.classifier.test or corpus.classifier.dev or corpus.classifier.train
        texts, groups, labels, what = split.texts, split.groups, np.array(split.labels), "labelled texts"
    else:
        lm = corpus.need_lm()
        texts, what = tuple(line for lines in lm.tests.values() for line in lines), "lines"
        groups = tuple(group for name in lm.tests for group in lm.groups.get(name, ()))
    chosen = _some(len(texts), max(1, tokens // 32))
    encoded = [np.array(encode(texts[place]), np.int64) for place in chosen]
    filled = [at for at, ids in enumerate(encoded) if len(ids)]
    _check(corpus, filled)
    kept = None if labels is None else labels[chosen][filled]
    of_each = tuple(groups[place] for place in chosen[filled]) if len(groups) == len(texts) else ()
    found = tuple(encoded[at] for at in filled)
    return Samples(f"{what} of {corpus.name}, test", found, kept, group=corpus.group, groups=of_each)


def windows_of(corpus: Corpus, tokenizer: Tokenizer, size: int, tokens: int = TOKENS) -> Samples:
    """Windows of the running text that is held out for tests, evenly from all of it.

    They do not overlap; the rest of a text that fills none is left out, unless it is all there is.
    """
    encoded, data = encode_lm(corpus, tokenizer), corpus.need_lm()
    windows: list[tuple[NDArray[np.int64], str]] = []
    for name in data.tests or ("train",):
        ids, owners, groups = encoded[name].ids.astype(np.int64), encoded[name].owners, data.groups.get(name, ())
        size_here = min(size, len(ids))
        starts = range(0, len(ids) - size_here + 1, max(1, size_here)) if size_here > 1 else ()
        windows += [(ids[at : at + size_here], groups[owners[at]] if groups else "") for at in starts]
    _check(corpus, windows)
    found, of_each = zip(*(windows[place] for place in _some(len(windows), max(1, tokens // size))), strict=True)
    about = f"windows of {size} tokens of {corpus.name}, test"
    return Samples(about, found, item="window", group=corpus.group, groups=of_each if all(of_each) else ())


def _check(corpus: Corpus, found: Sequence[object]) -> None:
    if not found:
        raise InputError(f"The corpus {corpus.name} has no text to watch a model on.")


def _some(count: int, most: int) -> Places:
    """Places of some among many, as even as can be."""
    return np.unique(np.linspace(0, count - 1, min(count, most)).round().astype(np.int64))
