"""What peers do when they work: the plain loop of a textbook, the same for all of them."""

from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch.nn.functional import cross_entropy

from oratory.bench.material import batches, scored
from oratory.bench.peer import Peer
from oratory.bench.peers import peers
from oratory.bench.work import Call, Contender


def updating(task: str, settings: Mapping[str, str]) -> list[Contender]:
    """Every peer with a model for the task, making updates."""
    return _doing(update, task, settings)


def evaluating(task: str, settings: Mapping[str, str]) -> list[Contender]:
    """Every peer with a model for the task, measuring train and test."""
    return _doing(evaluation, task, settings)


def generating(settings: Mapping[str, str], tokens: int) -> list[Contender]:
    """Every peer that generates."""
    return [
        Contender(peer.name, partial(_generation, peer, settings, tokens), peer.needs)
        for peer in peers()
        if peer.generates
    ]


def _doing(make: Callable[..., Call], task: str, settings: Mapping[str, str]) -> list[Contender]:
    return [
        Contender(peer.name, partial(make, peer, task, settings), peer.needs) for peer in peers() if task in peer.tasks
    ]


def update(peer: Peer, task: str, settings: Mapping[str, str]) -> Call:
    """An update with fused AdamW. Batches are made before the time counts."""
    config, made = batches(task, settings)
    module, forward = peer.model(task, config)
    optimizer = torch.optim.AdamW(module.parameters(), lr=1e-3, fused=True)
    some = [next(made) for _ in range(64)]
    module.train()
    turn = iter(some * 10_000)

    def step() -> float:
        batch = next(turn)
        optimizer.zero_grad()
        loss = cross_entropy(forward(batch.ids, batch.mask).flatten(0, -2), batch.targets.flatten())
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        return float(loss.detach())

    return step


def evaluation(peer: Peer, task: str, settings: Mapping[str, str]) -> Call:
    """The loss of every text of train and test, in batches of the size of training, as textbooks do."""
    config, found = scored(task, settings)
    module, forward = peer.model(task, config)
    module.eval()

    @torch.no_grad()
    def measure() -> list[float]:
        return [
            float(cross_entropy(forward(batch.ids, batch.mask).flatten(0, -2), batch.targets.flatten()))
            for batch in found
        ]

    return measure


def _generation(peer: Peer, settings: Mapping[str, str], tokens: int) -> Call:
    module, _ = peer.model("lm", batches("lm", settings)[0])
    module.eval()
    return peer.generation(module, tokens)
