"""What a peer is: another library, or the code of a textbook, with models of our sizes."""

from abc import ABC
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from oratory.bench.work import Call

if TYPE_CHECKING:
    from torch import Tensor, nn

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

    def model(self, task: str, config: "ModelConfig") -> "tuple[nn.Module, Forward]":
        """Its model of a size, without dropout, and how it is called."""
        raise NotImplementedError

    @staticmethod
    def hidden(config: "ModelConfig") -> int:
        """The width between the two maps of a feed-forward."""
        return config.feedforward.hidden or 4 * config.width

    def generation(self, model: "nn.Module", tokens: int) -> Call:
        """This many tokens after a prompt of one token, drawn one by one."""
        raise NotImplementedError
