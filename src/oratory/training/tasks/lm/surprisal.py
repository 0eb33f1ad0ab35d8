"""The surprisal of every token, measured once: -ln p(token | the tokens before it), in nats.

The text is covered with windows of the context's length, each moved on by the stride; a window scores the tokens that
no earlier one has scored, so that every token but the first few has at least `context - stride` tokens before it. With
a stride as long as the context, windows do not overlap: the way of many published figures.

Before a text comes its opening, a token that is given and not scored, so that the first token is scored too.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from oratory.arrays import release
from oratory.mechanisms import Reading
from oratory.model import Transformer
from oratory.model.products import fast_products
from oratory.tokens import START, Encoded, Tokenizer
from oratory.training.running_text.windows import READ, Integers, Windows

ROWS = 128
"""Tokens whose logits are made at once, few enough for a processor's cache."""


class CausalWindows(Windows):
    """Windows that score the tokens at their ends, which no earlier one has scored."""

    opening = 1

    @staticmethod
    def cuts(offsets: Integers, size: int) -> Integers:
        return offsets[:-1] + size

    @property
    def scored(self) -> Integers:
        """How many tokens each of them scores."""
        return self.ends - self.firsts

    def alike(self) -> Iterator[tuple[Integers, int, int]]:
        """Windows of one length that score equally many tokens: where they begin, and those two."""
        kinds, owner = np.unique(np.stack([self.lengths, self.scored]), axis=1, return_inverse=True)
        for kind, (length, scored) in enumerate(kinds.T):
            yield self.begins[owner.reshape(-1) == kind], int(length), int(scored)

    def texts(self) -> Iterator[tuple[int, int]]:
        """Where each text begins and ends: its windows score one token after the other."""
        new = np.append(True, self.firsts[1:] != self.ends[:-1])
        starts = np.flatnonzero(new)
        for one, other in zip(starts, np.append(starts[1:], len(self.begins)), strict=True):
            yield int(self.begins[one]), int(self.ends[other - 1])


@torch.no_grad()
@fast_products()
def surprisal(model: Transformer, ids: NDArray[np.int32], windows: CausalWindows) -> NDArray[np.float32]:
    """Nats of every token that the windows score, at its place in `ids`; not a number where none scores it.

    A head that looks back sees all of a text before a token, and not only its window.
    """
    nats = np.full(len(ids), np.nan, np.float32)
    for places, logits, targets in _predicted(model, ids, windows):
        nats[places] = cross_entropy(logits, targets, reduction="none").cpu().numpy()
    return nats


@dataclass(frozen=True)
class Predictions:
    """What was expected in place of every token, at its place in the ids; nothing where no window scores it."""

    ranks: Integers
    """How many tokens were expected more than the one that came, and one more."""
    ids: Integers  # T, K: the most probable first
    probabilities: NDArray[np.float32]  # T, K


@torch.no_grad()
@fast_products()
def predictions(model: Transformer, ids: NDArray[np.int32], windows: CausalWindows, most: int) -> Predictions:
    """The most probable tokens in place of every token, from the same windows as its surprisal."""
    most = min(most, model.config.vocabulary)
    ranks, best = np.zeros(len(ids), np.int64), np.zeros((len(ids), most), np.int64)
    found = np.zeros((len(ids), most), np.float32)
    for places, logits, targets in _predicted(model, ids, windows):
        probabilities = logits.softmax(-1)
        top = probabilities.topk(most, -1)
        came = probabilities.gather(1, targets[:, None])
        ranks[places] = 1 + (probabilities > came).sum(-1).cpu().numpy()
        best[places], found[places] = top.indices.cpu().numpy(), top.values.cpu().numpy()
    return Predictions(ranks, best, found)


Predicted = Iterator[tuple[Integers, Tensor, Tensor]]
"""Some scored tokens after the others: their places (N), the logits that predict them (N, V), and themselves."""


def _predicted(model: Transformer, ids: NDArray[np.int32], windows: CausalWindows) -> Predicted:
    training = model.training
    model.eval()
    try:
        yield from (_of_texts if hasattr(model.head, "logits") else _of_windows)(model, ids, windows)
    finally:
        model.train(training)


def _of_windows(model: Transformer, ids: NDArray[np.int32], windows: CausalWindows) -> Predicted:
    """By a head that needs the vectors alone."""
    for places, hidden, tokens in _read(model, ids, windows):
        scored = hidden.shape[1]
        wanted, vectors, targets = places[:, -scored:].reshape(-1), hidden.flatten(0, 1), tokens[:, -scored:].flatten()
        for at in range(0, len(targets), ROWS):
            part = slice(at, at + ROWS)
            yield wanted[part], model.head(vectors[part]).float(), targets[part]


def _of_texts(model: Transformer, ids: NDArray[np.int32], windows: CausalWindows) -> Predicted:
    """By a head that looks back at tokens and at their vectors, which all are made first."""
    device, reach = model.device, model.config.head.reach
    vectors = torch.zeros(len(ids), model.config.width, device=device)
    for places, hidden, _ in _read(model, ids, windows):
        vectors[torch.from_numpy(places[:, -hidden.shape[1] - 1 : -1]).to(device)] = hidden.float()
    for begin, after in windows.texts():
        for at in range(begin, after - 1, ROWS):
            end, first = min(at + ROWS, after - 1), max(begin, at - reach)
            text = torch.from_numpy(ids[first : end + 1].astype(np.int64)).to(device)
            columns = torch.arange(at - first, end - first, device=device)
            reading = Reading(text[None, :-1], vectors[None, first:end], None, torch.zeros_like(columns), columns)
            yield np.arange(at + 1, end + 1), model.predict(vectors[at:end], reading).float(), text[1 + at - first :]


def _read(
    model: Transformer, ids: NDArray[np.int32], windows: CausalWindows
) -> Iterator[tuple[Integers, Tensor, Tensor]]:
    """Windows that are alike: the places of their tokens (B, T + 1), vectors of the last (B, S, D) and the tokens."""
    for begins, length, scored in windows.alike():
        rows = max(1, READ // length)
        for at in range(0, len(begins), rows):
            places = begins[at : at + rows, None] + np.arange(length + 1)
            tokens = torch.from_numpy(ids[places].astype(np.int64)).to(model.device)
            yield places, model(tokens[:, :-1], last=0).hidden[:, -scored:], tokens


def opening_of(train: Encoded, tokenizer: Tokenizer) -> int:
    """The token before a text: <START> if the tokenizer has one, else the most common end of a training line.

    A model of one stream meets the first token of a line after the last token of another.
    """
    start = tokenizer.find(START)
    if start is not None:
        return start
    ends = train.ids[train.starts[1:][train.lengths > 0] - 1]
    release(train.ids)
    return int(np.bincount(ends).argmax())


def opened(encoded: Encoded, opening: int, tokenizer: Tokenizer) -> Encoded:
    """Every text with its opening in front, where it does not bring one itself."""
    return encoded if tokenizer.find(START) is not None else encoded.wrapped(opening, None)


def joined(encoded: Encoded) -> Encoded:
    """All texts as one."""
    return Encoded(encoded.ids, encoded.sizes, np.array([0, len(encoded.ids)]))
