"""Windows or lines of running text in which some tokens are masked.

As in BERT (Devlin et al., 2019, arXiv:1810.04805), 80% of the tokens that are chosen become <mask>, 10% become another
token and 10% stay: a trained model meets text without <mask>. They are chosen anew in every epoch, and not once before
training (Liu et al., 2019, arXiv:1907.11692).

Shapes: B items, T tokens of the longest item.
"""

from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from oratory.batches import IGNORE, Batch

MASKED, REPLACED = 0.8, 0.1
"""The shares of the chosen tokens that become <mask>, and that become another token."""


MaskedTokens = tuple[NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class MaskedItems:
    """Stretches of a text, each with tokens to predict. Which ones follows from the key and the item alone.

    So a token is masked or not whatever else is in its batch, in whichever process, and however often a run stops.
    """

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    """Where each item begins; items may overlap."""
    lengths: NDArray[np.int64]
    begins: NDArray[np.bool_]
    """Whether a word begins with a token: the tokens of a word are chosen together."""
    maskable: NDArray[np.bool_]
    """Whether a token may be chosen."""
    others: NDArray[np.int32]
    """The tokens that one may be replaced by."""
    share: float
    mask_id: int
    pad_id: int
    key: int
    """The seed of what is drawn: one for each run and epoch."""
    drawn: dict[int, MaskedTokens] = field(default_factory=dict, init=False)
    """What was drawn already; a batch is asked for its number of targets first, and then for its tokens."""

    def __len__(self) -> int:
        return len(self.starts)

    def targets(self, items: NDArray[np.int64]) -> int:
        """How many tokens of these items are to be predicted."""
        return max(1, sum(len(self.draw(int(item))[0]) for item in items))  # One, so that it can be divided by.

    def batch(self, items: NDArray[np.int64]) -> Batch:
        """These items as tensors, with the original of each chosen token as its target."""
        steps = np.arange(int(self.lengths[items].max()))
        inside = steps < self.lengths[items][:, None]  # B, T
        places = np.minimum(self.starts[items][:, None] + steps, len(self.ids) - 1)
        ids = np.where(inside, self.ids[places], self.pad_id).astype(np.int64)
        targets = np.full_like(ids, IGNORE)
        for row, item in enumerate(items):
            chosen, replaced = self.draw(int(item))
            targets[row, chosen] = ids[row, chosen]
            ids[row, chosen] = replaced
        return Batch(
            torch.from_numpy(ids), torch.from_numpy(targets), None if inside.all() else torch.from_numpy(inside)
        )

    def draw(self, item: int) -> MaskedTokens:
        """The places in an item that are to be predicted, and the tokens that the model is given there."""
        if item not in self.drawn:
            self.drawn[item] = self._draw(item)
        return self.drawn[item]

    def _draw(self, item: int) -> MaskedTokens:
        """Take words in random order until they have the share of the tokens, but at least one word."""
        start = self.starts[item]
        span = slice(start, start + self.lengths[item])
        places = np.flatnonzero(self.maskable[span])
        chance = np.random.default_rng((self.key, item))
        begins = self.begins[span][places]
        word: NDArray[np.int64] = np.cumsum(begins) - begins[:1]  # An item may begin inside of a word.
        sizes = np.bincount(word)
        order = chance.permutation(len(sizes))
        before = np.cumsum(sizes[order]) - sizes[order]
        taken = np.zeros(len(sizes), bool)
        taken[order[before < max(1, round(self.share * len(places)))]] = True
        chosen = places[taken[word]]
        kind, other = chance.random(len(chosen)), self.others[chance.integers(len(self.others), size=len(chosen))]
        kept = np.where(kind < MASKED + REPLACED, other, self.ids[span][chosen])
        return chosen, np.where(kind < MASKED, self.mask_id, kept).astype(np.int64)
