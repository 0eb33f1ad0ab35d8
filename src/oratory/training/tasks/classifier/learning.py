"""What a classifier learns from, its loss, and how it is measured."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from oratory.batches import Batch, LabelledItems
from oratory.errors import InputError
from oratory.mechanisms import TrainingText
from oratory.model.products import fast_products
from oratory.tokens import encode_classifier
from oratory.training.loss import NotFinite, loss_of_labels, loss_of_two_passes
from oratory.training.prepared import Prepared
from oratory.training.tasks.classifier.config import ClassifierTraining
from oratory.training.tasks.classifier.scores import ClassifierScores
from oratory.training.tasks.labelled import SplitScores
from oratory.training.tasks.task import Items, Learning
from oratory.training.teachers import Teachers

EVALUATED = 2048
"""Tokens of a batch when a classifier is measured, few enough for a processor's cache."""

MEASURED = 1 << 17
"""Texts of train that are measured at the most."""


class ClassifierLearning(Learning):
    """The labelled texts of a corpus."""

    def __init__(self, prepared: Prepared) -> None:
        self.data = prepared.corpus.need_classifier()
        self.eval_train, self.test_last = prepared.training.eval_train, prepared.test_last
        assert isinstance(prepared.training, ClassifierTraining)
        self.rdrop = prepared.training.rdrop
        if self.rdrop and not prepared.config.drops:
            raise InputError(f"train.rdrop={self.rdrop:g} compares two passes with dropout: give dropout=0.1, say.")
        self.teachers = Teachers.of(prepared)
        self.tokenizer, context = prepared.tokenizer, prepared.config.context
        tokenizer = self.tokenizer
        self.encoded = encode_classifier(prepared.corpus, tokenizer)
        self.splits = {
            name: LabelledItems(
                tokenizer.framed(self.encoded[name], context), np.array(split.labels), context, tokenizer.pad_id
            )
            for name, split in self.data.splits()
        }
        self.items = self.splits["train"]

    def training_text(self) -> TrainingText:
        items = self.splits["train"]
        batches = (items.batch(np.array([item])) for item in range(len(items)))
        tokens = [self.tokenizer.token(index) for index in range(len(self.tokenizer))]
        return TrainingText([batch.ids[0] for batch in batches], tokens, items.labels.tolist())

    def loss(self, model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
        if self.teachers is not None:
            return self.teachers.loss(model, batch, targets)
        if self.rdrop:
            return loss_of_two_passes(model, batch, targets, smoothing, self.rdrop)
        return loss_of_labels(model, batch, targets, smoothing)

    def measure(self, model: nn.Module, final: bool = True) -> ClassifierScores:
        """The scores of every split; on the way without train or test, where these are measured at the end only."""
        later = {"train": not self.eval_train, "test": self.test_last}
        measured = {}
        for name, items in self.splits.items():
            if final or not later.get(name, False):
                known = (self.data.seen, self.data.in_dev) if name == "test" else ()
                chosen = self._measured(items) if name == "train" else np.arange(len(items))
                found = probabilities(model, items, chosen)
                measured[name] = SplitScores(items.labels[chosen], found, *map(np.array, known))
        return ClassifierScores(self.data.label_names, measured)

    def facts(self) -> dict[str, Any]:
        return {}

    @staticmethod
    def _measured(items: Items) -> NDArray[np.int64]:
        """The items of train that are measured: all of them, or some from its beginning to its end."""
        return np.arange(len(items))[:: -(-len(items) // MEASURED)]

    @property
    def remarks(self) -> tuple[str, ...]:
        texts, measured = len(self.items), len(self._measured(self.items))
        if measured == texts:
            return ()
        return (f"Of train, {measured:,} of {texts:,} texts are measured; all of them are learned from.",)


@torch.no_grad()
@fast_products()
def probabilities(model: Any, items: LabelledItems, some: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
    """The probability of each class for every item, or for some. Items of similar length are computed together."""
    wanted = np.arange(len(items)) if some is None else some
    lengths = items.lengths[wanted]
    found = np.zeros((len(wanted), model.config.classes), np.float32)
    training, device = model.training, next(model.parameters()).device
    model.eval()
    try:
        by_length = np.argsort(lengths, kind="stable")
        at = 0
        while at < len(wanted):
            rows = max(1, EVALUATED // max(1, int(lengths[by_length[at]])))
            chosen = by_length[at : at + rows]
            batch = items.batch(wanted[chosen]).to(device)
            found[chosen] = model(batch.ids, batch.mask).logits.float().softmax(-1).cpu().numpy()
            at += rows
    finally:
        model.train(training)
    if not np.isfinite(found).all():
        raise NotFinite("The probabilities of the classes are not finite numbers.")
    return found
