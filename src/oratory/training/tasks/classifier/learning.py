"""What a classifier learns from, its loss, and how it is measured."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from oratory.batches import Batch, LabelledItems
from oratory.tokens import encode_classifier
from oratory.training.loss import NotFinite, loss_of_labels
from oratory.training.prepared import Prepared
from oratory.training.tasks.classifier.scores import ClassifierScores, SplitScores
from oratory.training.tasks.task import Learning

EVALUATED = 2048
"""Tokens of a batch when a classifier is measured, few enough for a processor's cache."""


class ClassifierLearning(Learning):
    """The labelled texts of a corpus."""

    def __init__(self, prepared: Prepared) -> None:
        self.data = prepared.corpus.need_classifier()
        self.eval_train, self.test_last = prepared.training.eval_train, prepared.test_last
        tokenizer, context = prepared.tokenizer, prepared.config.context
        self.encoded = encode_classifier(prepared.corpus, tokenizer)
        self.splits = {
            name: LabelledItems(
                tokenizer.framed(self.encoded[name], context), np.array(split.labels), context, tokenizer.pad_id
            )
            for name, split in self.data.splits()
        }
        self.items = self.splits["train"]

    def loss(self, model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
        return loss_of_labels(model, batch, targets, smoothing)

    def measure(self, model: nn.Module, final: bool = True) -> ClassifierScores:
        """The scores of every split; on the way without train or test, where these are measured at the end only."""
        later = {"train": not self.eval_train, "test": self.test_last}
        measured = {}
        for name, items in self.splits.items():
            if final or not later.get(name, False):
                known = (self.data.seen, self.data.in_dev) if name == "test" else ()
                measured[name] = SplitScores(items.labels, probabilities(model, items), *map(np.array, known))
        return ClassifierScores(self.data.label_names, measured)

    def facts(self) -> dict[str, Any]:
        return {}


@torch.no_grad()
def probabilities(model: Any, items: LabelledItems) -> NDArray[np.float32]:
    """The probability of each class for every item. Items of similar length are computed together."""
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
