"""The two tasks behind one face: items to learn from, a loss, and an evaluation."""

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from oratory.batches import IGNORE, Batch, LabelledItems, LineItems, WindowItems
from oratory.errors import Failed
from oratory.model import Transformer
from oratory.text import ClassifierData, LanguageData
from oratory.tokens import Encoded, encode_classifier, encode_lm
from oratory.tokens.scoring import perplexity, predicted
from oratory.training.prepare import Prepared
from oratory.training.scores import ClassifierScores, LanguageScores, Scores, SplitScores, TextScores
from oratory.training.surprisal import cover, joined, opened, opening_of, surprisal

EVALUATED = 2048
"""Tokens of a batch when a classifier is measured, few enough for a processor's cache."""


class NotFinite(Failed):
    """What a model says of a text is no number."""


class Items(Protocol):
    """What is learned from."""

    @property
    def lengths(self) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...
    def targets(self, items: NDArray[np.int64]) -> int: ...
    def batch(self, items: NDArray[np.int64]) -> Batch: ...


class Task(Protocol):
    """What the loop needs to know of a task."""

    @property
    def items(self) -> Items: ...
    def measure(self, model: Any, final: bool) -> Scores:
        """Every split; on the way it may be all but train, or but test."""


def make_task(prepared: Prepared) -> "ClassifierTask | LanguageTask":
    """The task of a prepared run."""
    corpus = prepared.corpus
    if prepared.config.task == "classifier":
        encoded = encode_classifier(corpus, prepared.tokenizer)
        return ClassifierTask(corpus.need_classifier(), encoded, prepared)
    return LanguageTask(corpus.need_lm(), encode_lm(corpus, prepared.tokenizer), prepared)


def loss_of(model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
    """The sum of the batch's losses over the number of targets in the whole update, of which it may be a part."""
    logits = model(batch.ids, batch.mask).logits
    flat = logits.flatten(0, -2).float()
    total = cross_entropy(
        flat, batch.targets.flatten(), ignore_index=IGNORE, reduction="sum", label_smoothing=smoothing
    )
    return total / targets


class ClassifierTask:
    """Texts to labels."""

    def __init__(self, data: ClassifierData, encoded: Mapping[str, Encoded], prepared: Prepared) -> None:
        self.data = data
        self.eval_train, self.test_last = prepared.training.eval_train, prepared.test_last
        tokenizer, context = prepared.tokenizer, prepared.config.context
        self.splits = {
            name: LabelledItems(
                tokenizer.framed(encoded[name], context), np.array(split.labels), context, tokenizer.pad_id
            )
            for name, split in data.splits()
        }
        self.items = self.splits["train"]

    def measure(self, model: nn.Module, final: bool = True) -> ClassifierScores:
        """Every split; on the way it may be all but train, or but test."""
        later = {"train": not self.eval_train, "test": self.test_last}
        measured = {}
        for name, items in self.splits.items():
            if final or not later.get(name, False):
                seen = np.array(self.data.seen) if name == "test" else None
                measured[name] = SplitScores(items.labels, probabilities(model, items), seen)
        return ClassifierScores(self.data.label_names, measured)


@torch.no_grad()
def probabilities(model: Any, items: LabelledItems) -> NDArray[np.float32]:
    """The probability of each class for every item. Items of like length are computed together."""
    found = np.zeros((len(items), model.config.classes), np.float32)
    training, device = model.training, next(model.parameters()).device
    model.eval()
    try:
        by_length = np.argsort(items.lengths, kind="stable")
        at = 0
        while at < len(items):
            rows = max(1, EVALUATED // max(1, int(items.lengths[by_length[at]])))
            chosen = by_length[at : at + rows]
            batch = items.batch(chosen).to(device)
            found[chosen] = model(batch.ids, batch.mask).logits.float().softmax(-1).cpu().numpy()
            at += rows
    finally:
        model.train(training)
    if not np.isfinite(found).all():
        raise NotFinite("The probabilities of the classes are not finite numbers.")
    return found


class LanguageTask:
    """The next token."""

    def __init__(self, data: LanguageData, encoded: Mapping[str, Encoded], prepared: Prepared) -> None:
        training, self.tokenizer, self.context = prepared.training, prepared.tokenizer, prepared.config.context
        self.data = data
        self.encoded = encoded
        self.eval_train = training.eval_train
        self.by_line = training.items == "lines"
        self.stride = training.stride or max(1, self.context // 2)
        self.opening = opening_of(encoded["train"], self.tokenizer)
        self.items: WindowItems | LineItems
        if self.by_line:
            lines = opened(encoded["train"], self.opening, self.tokenizer)
            self.items = LineItems(lines, training.truncate or self.context, self.tokenizer.pad_id)
        else:
            self.items = WindowItems(encoded["train"].ids, self.context)

    def measure(self, model: Transformer, final: bool = True) -> LanguageScores:
        """Every text. On the way it may be all but train, and it is one way only."""
        names = [name for name in self.encoded if final or self.eval_train or name != "train"]
        return LanguageScores({name: self._score(model, name, final) for name in names})

    def _score(self, model: Transformer, name: str, final: bool) -> TextScores:
        encoded = self.encoded[name]
        text = opened(encoded if self.by_line else joined(encoded), self.opening, self.tokenizer)
        owners = text.owners if self.by_line else np.pad(encoded.owners, (len(text.ids) - len(encoded.ids), 0))
        nats = surprisal(model, text.ids, cover(text.starts, self.context, self.stride))
        _check_finite(nats, text)
        scored = predicted(text.ids, self.tokenizer) & ~np.isnan(nats)
        seen = np.array(self.data.seen(name))[owners[scored]] if name in self.data.tests else None
        windows = self._windows(model, encoded) if final and not self.by_line else None
        return TextScores(text.ids[scored], nats[scored], owners[scored], int(text.sizes.sum()), seen, windows)

    def _windows(self, model: Transformer, encoded: Encoded) -> float | None:
        """The reference way: windows that do not overlap, and no opening."""
        nats = surprisal(model, encoded.ids, cover(joined(encoded).starts, self.context, self.context))
        _check_finite(nats, joined(encoded))
        scored = predicted(encoded.ids, self.tokenizer) & ~np.isnan(nats)
        return perplexity(nats[scored]) if scored.any() else None


def _check_finite(nats: NDArray[np.float32], text: Encoded) -> None:
    """Refuse a token without a surprisal, unless it is the first of a text, which nothing predicts."""
    broken = ~np.isfinite(nats)
    broken[text.starts[:-1][text.lengths > 0]] = False
    if broken.any():
        raise NotFinite("The surprisal of a token is not a finite number.")
