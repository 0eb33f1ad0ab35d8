"""What a peer is: another library, or the code of a textbook, with models of our sizes."""

from abc import ABC
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, ClassVar

from oratory.bench.work import Call

if TYPE_CHECKING:
    from torch import Tensor, nn

    from oratory.batches import Batch
    from oratory.model import ModelConfig

Forward = Callable[["Tensor", "Tensor | None"], "Tensor"]
"""Ids and a mask, which is false for padding, to logits."""


class Peer(ABC):
    """Another library, or the code of a textbook. It has a model for some tasks, or a way to generate."""

    name: ClassVar[str]
    needs: ClassVar[str | None] = None
    """The package that must be installed."""
    tasks: ClassVar[tuple[str, ...]]
    """Tasks that it has a model for."""
    generates: ClassVar[bool] = False
    at_once: ClassVar[int] = 1
    """Updates that its own loop makes in one call; one for the loop of textbooks, which is the same for all peers."""

    def model(self, task: str, config: "ModelConfig") -> "tuple[nn.Module, Forward]":
        """Its model of a size, without dropout, and how it is called."""
        raise NotImplementedError

    def updating(self, module: "nn.Module", forward: Forward, batches: "Sequence[Batch]") -> Call:
        """Updates with fused AdamW, on these batches in turn."""
        import torch
        from torch.nn.functional import cross_entropy

        optimizer = torch.optim.AdamW(module.parameters(), lr=1e-3, fused=True)
        turn = cycle(batches)
        module.train()

        def update() -> float:
            batch = next(turn)
            optimizer.zero_grad()
            loss = cross_entropy(forward(batch.ids, batch.mask).flatten(0, -2), batch.targets.flatten())
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            return float(loss.detach())

        return update

    @staticmethod
    def hidden(config: "ModelConfig") -> int:
        """The width between the two maps of a feed-forward."""
        return config.feedforward.hidden or 4 * config.width

    def generation(self, model: "nn.Module", tokens: int) -> Call:
        """This many tokens after a prompt of one token, drawn one by one."""
        raise NotImplementedError
