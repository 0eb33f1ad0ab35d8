"""One run as textbooks write it: a plain model, padded batches, and train measured as often as test."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from oratory.batches import LabelledItems
from oratory.bench.peers.minimal import MinimalGPT
from oratory.bench.peers.torch_encoder import EncoderClassifier
from oratory.training.prepared import Prepared

BATCH = 16


def classifier_run(prepared: Prepared, epochs: int) -> None:
    """Train a classifier, with the accuracy of train and test after every epoch."""
    learning: Any = prepared.task.learning(prepared)
    splits = {name: _padded(learning.splits[name], prepared.tokenizer.pad_id) for name in ("train", "test")}
    model = EncoderClassifier(prepared.config)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    ids, mask, labels = splits["train"]
    for _ in range(epochs):
        for chosen in torch.split(torch.randperm(len(ids)), BATCH):
            optimizer.zero_grad()
            cross_entropy(model(ids[chosen], mask[chosen]), labels[chosen]).backward()  # type: ignore[no-untyped-call]
            optimizer.step()
        for split in splits.values():
            _accuracy(model, *split)


def _padded(items: LabelledItems, pad_id: int) -> tuple[Tensor, Tensor, Tensor]:
    """Every text at the full context: ids, where they are not padding, and labels."""
    ids = torch.full((len(items), items.context), pad_id)
    mask = torch.zeros_like(ids, dtype=torch.bool)
    for at, length in enumerate(items.lengths):
        ids[at, :length], mask[at, :length] = items.batch(np.array([at])).ids[0], True
    return ids, mask, torch.from_numpy(items.labels)


@torch.no_grad()
def _accuracy(model: nn.Module, ids: Tensor, mask: Tensor, labels: Tensor) -> float:
    model.eval()
    parts = zip(*(torch.split(part, BATCH) for part in (ids, mask, labels)), strict=True)
    right = sum(int((model(some, kept).argmax(1) == wanted).sum()) for some, kept, wanted in parts)
    model.train()
    return right / len(labels)


def lm_run(prepared: Prepared, iterations: int, eval_every: int) -> None:
    """Train a language model, with the perplexity of every text at every evaluation."""
    learning: Any = prepared.task.learning(prepared)
    context, texts = prepared.config.context, {name: found.ids for name, found in learning.encoded.items()}
    model = MinimalGPT(prepared.config)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for step in range(1, iterations + 1):
        rows = _windows(texts["train"], np.random.randint(len(texts["train"]) - context, size=BATCH), context)
        optimizer.zero_grad()
        _loss(model, rows).backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        if step % eval_every == 0:
            for ids in texts.values():
                _perplexity(model, ids, context)


def _windows(ids: NDArray[np.int32], starts: NDArray[np.int64], context: int) -> Tensor:
    return torch.from_numpy(ids[starts[:, None] + np.arange(context + 1)].astype(np.int64))


def _loss(model: nn.Module, rows: Tensor) -> Tensor:
    return cross_entropy(model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())


@torch.no_grad()
def _perplexity(model: nn.Module, ids: NDArray[np.int32], context: int) -> float:
    """Over windows that do not overlap."""
    model.eval()
    rows = _windows(ids, np.arange(0, len(ids) - context - 1, context), context)
    found = torch.stack([_loss(model, part) for part in torch.split(rows, BATCH)]).mean().exp()
    model.train()
    return float(found)
