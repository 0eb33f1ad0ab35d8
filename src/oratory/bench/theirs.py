"""What peers do when they work: the plain loop of a textbook, the same for all that have none of their own."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from oratory.batches import Batch
from oratory.bench.material import asked, batches, length_of_run, scored
from oratory.bench.peer import Forward, Peer
from oratory.bench.peers import peers
from oratory.bench.work import Call, Contender

BATCHES = 64
"""Batches that are made before the time counts, and learned from in turn."""


def updating(task: str, settings: Mapping[str, str]) -> list[Contender]:
    """Every peer with a model for the task, making updates."""
    return [
        Contender(peer.name, partial(update, peer, task, settings), peer.needs, 1 / peer.at_once)
        for peer in peers()
        if task in peer.tasks
    ]


def evaluating(task: str, settings: Mapping[str, str]) -> list[Contender]:
    """Every peer with a model for the task, measuring train and test."""
    return _in_textbooks(evaluation, task, settings)


def predicting(settings: Mapping[str, str], sentences: int) -> list[Contender]:
    """Every peer with a classifier, predicting so many sentences."""
    return _in_textbooks(partial(prediction, sentences), "classifier", settings)


def running(task: str, settings: Mapping[str, str]) -> list[Contender]:
    """Every peer with a model for the task, training it from the beginning to the end."""
    return _in_textbooks(run, task, settings)


def generating(settings: Mapping[str, str], tokens: int) -> list[Contender]:
    """Every peer that generates."""
    return [
        Contender(peer.name, partial(_generation, peer, settings, tokens), peer.needs)
        for peer in peers()
        if peer.generates
    ]


def _in_textbooks(make: Callable[..., Call], task: str, settings: Mapping[str, str]) -> list[Contender]:
    """A contender for each model. A second loop around the same model would differ in its updates alone."""
    return [
        Contender(peer.name, partial(make, peer, task, settings), peer.needs)
        for peer in peers()
        if task in peer.tasks and peer.at_once == 1
    ]


def update(peer: Peer, task: str, settings: Mapping[str, str]) -> Call:
    """An update, or as many as its loop makes at once. Batches are made before the time counts."""
    config, made = batches(task, settings)
    return peer.updating(*peer.model(task, config), list(islice(made, BATCHES)))


def evaluation(peer: Peer, task: str, settings: Mapping[str, str]) -> Call:
    """The loss of every text of train and test, in batches of the size of training, as textbooks do."""
    config, found = scored(task, settings)
    return _measuring(*peer.model(task, config), found)


def _measuring(module: nn.Module, forward: Forward, found: Sequence[Batch]) -> Call:
    @torch.no_grad()
    def measure() -> list[float]:
        module.eval()
        losses = [
            float(cross_entropy(forward(batch.ids, batch.mask).flatten(0, -2), batch.targets.flatten()))
            for batch in found
        ]
        module.train()
        return losses

    return measure


def prediction(sentences: int, peer: Peer, task: str, settings: Mapping[str, str]) -> Call:
    """The probabilities of so many sentences, in batches of the size of training."""
    config, found = asked(task, settings, sentences)
    module, forward = peer.model(task, config)
    module.eval()

    @torch.no_grad()
    def predict() -> int:
        return sum(len(forward(batch.ids, batch.mask).softmax(-1)) for batch in found)

    return predict


def run(peer: Peer, task: str, settings: Mapping[str, str]) -> Call:
    """A whole run: every update, and train and test as often as ours measures them."""
    config, made = batches(task, settings)
    module, forward = peer.model(task, config)
    step = peer.updating(module, forward, list(islice(made, BATCHES)))
    measure = _measuring(module, forward, scored(task, settings)[1])
    updates, every = length_of_run(task, settings)

    def train() -> None:
        for number in range(1, updates + 1):
            step()
            if number % every == 0:
                measure()

    return train


def _generation(peer: Peer, settings: Mapping[str, str], tokens: int) -> Call:
    module, _ = peer.model("lm", batches("lm", settings)[0])
    module.eval()
    return peer.generation(module, tokens)
