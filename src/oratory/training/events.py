"""What the training loop tells its listeners. Nothing here needs torch."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oratory.training.tasks.task import Scores


@dataclass(frozen=True)
class Stepped:
    """One update was made."""

    step: int
    loss: float
    norm: float
    """Of the gradient, before clipping."""
    lr: float
    remark: str = ""
    """Something that the user should know about this update."""


@dataclass(frozen=True)
class Measured:
    """The model was measured."""

    step: int
    epoch: float
    scores: "Scores"
    loss: float | None
    """The mean loss of the updates since the last time; None before the first."""
    best: bool
    """Whether dev is better than at every evaluation before."""
