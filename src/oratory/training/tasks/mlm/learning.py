"""What a masked language model learns from, its loss, and how it is measured."""

from dataclasses import replace
from typing import Any

import numpy as np
from torch import Tensor, nn

from oratory.arrays import blocks, empty, release, zeros
from oratory.batches import Batch
from oratory.errors import InputError
from oratory.model import Transformer
from oratory.seeds import derive
from oratory.tokens.scoring import predicted
from oratory.training.loss import loss_of_tokens
from oratory.training.prepared import Prepared
from oratory.training.running_text.learning import TextLearning
from oratory.training.tasks.mlm.config import MaskedTraining
from oratory.training.tasks.mlm.items import MaskedItems
from oratory.training.tasks.mlm.scores import MaskedScores, MaskedTextScores
from oratory.training.tasks.mlm.surprisal import CentredWindows, pseudo_surprisal
from oratory.training.tasks.mlm.token import mask_id
from oratory.training.tasks.mlm.words import word_begins

PASSES = 7
"""How often a text is read when it is measured: one token in seven is masked at once, about as many as in training.

It is no setting, so that all runs are measured in the same way, whatever share of the tokens they were trained on.
"""


class MaskedLearning(TextLearning):
    """The running text of a corpus."""

    items: MaskedItems

    def __init__(self, prepared: Prepared) -> None:
        super().__init__(prepared)
        training = prepared.training
        assert isinstance(training, MaskedTraining)
        self.seed = prepared.seed
        self.items = self._items(training)

    def _items(self, training: MaskedTraining) -> MaskedItems:
        text = self.encoded["train"]
        maskable, others = zeros(len(text.ids), np.bool_), np.zeros(len(self.tokenizer), np.int64)
        for part in blocks(len(text.ids)):
            maskable[part] = predicted(text.ids[part], self.tokenizer)
            others += np.bincount(text.ids[part][maskable[part]], minlength=len(others))
            release(text.ids, maskable)
        if not others.any():
            raise InputError("The running text to learn from has no token to predict.")
        if self.by_line:
            filled = text.lengths > 0
            starts = text.starts[:-1][filled]
            lengths = np.minimum(text.lengths[filled], training.truncate or self.context)
        else:
            size = min(self.context, len(text.ids))
            starts = empty(len(text.ids) - size + 1, np.int64)
            for part in blocks(len(starts)):
                starts[part] = np.arange(part.start, part.stop)
                release(starts)
            lengths = np.broadcast_to(np.int64(size), len(starts))
        whole = training.whole_words
        begins = word_begins(self.data.train, text) if whole else np.broadcast_to(np.True_, len(text.ids))
        return MaskedItems(
            ids=text.ids,
            starts=starts,
            lengths=lengths,
            begins=begins,
            maskable=maskable,
            others=np.flatnonzero(others).astype(np.int32),
            share=training.mask,
            mask_id=mask_id(self.tokenizer),
            pad_id=self.tokenizer.pad_id,
            key=derive(self.seed, "mask 0"),
        )

    def items_of(self, epoch: int) -> MaskedItems:
        return replace(self.items, key=derive(self.seed, f"mask {epoch}"))

    def loss(self, model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
        """The cross-entropy of the chosen tokens; only for these are logits computed."""
        return loss_of_tokens(model, batch, targets, smoothing)

    def measure(self, model: Transformer, final: bool = True) -> MaskedScores:
        """The scores of every text; on the way perhaps without train."""
        return MaskedScores({name: self._score(model, name) for name in self.measured(final)})

    def facts(self) -> dict[str, Any]:
        """How texts are measured, for tables and for scoring other texts."""
        return {"stride": self.stride, "passes": PASSES}

    def _score(self, model: Transformer, name: str) -> MaskedTextScores:
        text = self.scored[name]
        starts = text.starts if self.by_line else np.array([0, len(text.ids)])
        windows = CentredWindows.over(starts, self.context, self.stride)
        nats = pseudo_surprisal(model, text.ids, windows, self.tokenizer, PASSES)
        scored = predicted(text.ids, self.tokenizer)
        lines = text.owners[scored]
        seen = np.array(self.data.seen(name))[lines] if name in self.data.tests else None
        return MaskedTextScores(text.ids[scored], nats[scored], lines, seen)
