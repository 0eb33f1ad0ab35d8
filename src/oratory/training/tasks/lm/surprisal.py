"""The surprisal of every token, measured once: -ln p(token | the tokens before it), in nats.

The text is covered with windows of the context's length, each moved on by the stride; a window scores the tokens that
no earlier one has scored, so that every token but the first few has at least `context - stride` tokens before it. With
a stride as long as the context, windows do not overlap: the way of many published figures.

Before a text comes its opening, a token that is given and not scored, so that the first token is scored too.
"""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from oratory.model import Transformer
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


@torch.no_grad()
def surprisal(model: Transformer, ids: NDArray[np.int32], windows: CausalWindows) -> NDArray[np.float32]:
    """Nats of every token that the windows score, at its place in `ids`; not a number where none scores it."""
    nats = np.full(len(ids), np.nan, np.float32)
    training, device = model.training, model.tokens.weight.device
    model.eval()
    try:
        for begins, length, scored in windows.alike():
            rows = max(1, READ // length)
            for at in range(0, len(begins), rows):
                places = begins[at : at + rows, None] + np.arange(length + 1)  # B, T + 1
                tokens = torch.from_numpy(ids[places].astype(np.int64)).to(device)
                hidden = model(tokens[:, :-1], last=0).hidden[:, -scored:]
                found = _nats(model, hidden.flatten(0, 1), tokens[:, -scored:].flatten())
                nats[places[:, -scored:]] = found.view(-1, scored).cpu().numpy()
    finally:
        model.train(training)
    return nats


def _nats(model: Transformer, hidden: Tensor, targets: Tensor) -> Tensor:
    """The surprisal of each target (N) given its vector (N, D)."""
    assert model.head is not None
    parts = [slice(at, at + ROWS) for at in range(0, len(targets), ROWS)]
    return torch.cat([cross_entropy(model.head(hidden[p]).float(), targets[p], reduction="none") for p in parts])


def opening_of(train: Encoded, tokenizer: Tokenizer) -> int:
    """The token before a text: <START> if the tokenizer has one, else the most common end of a training line.

    A model of one stream meets the first token of a line after the last token of another.
    """
    start = tokenizer.find(START)
    if start is not None:
        return start
    ends = train.ids[train.starts[1:][train.lengths > 0] - 1]
    return int(np.bincount(ends).argmax())


def opened(encoded: Encoded, opening: int, tokenizer: Tokenizer) -> Encoded:
    """Every text with its opening in front, where it does not bring one itself."""
    return encoded if tokenizer.find(START) is not None else encoded.wrapped(opening, None)


def joined(encoded: Encoded) -> Encoded:
    """All texts as one."""
    return Encoded(encoded.ids, encoded.sizes, np.array([0, len(encoded.ids)]))
