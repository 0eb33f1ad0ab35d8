"""Averages of the weights along training: the model that is measured and kept is the average, not the last step."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from oratory.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

Weights: TypeAlias = "dict[str, Tensor]"


@dataclass(frozen=True, kw_only=True)
class Average:
    """What every average has."""

    def share(self, step: int, steps: int, taken: int) -> float | None:
        """How much the weights after a step, counted from 1, count in the average; None where they are not taken.

        `taken` says how many weights the average has so far.
        """
        return None

    def add(self, average: Weights, weights: Weights, share: float) -> None:
        """Take weights into an average, in place."""
        for name, value in weights.items():
            if name not in average:
                average[name] = value.detach().clone()
            else:
                average[name].lerp_(value.detach(), share)


@dataclass(frozen=True, kw_only=True)
class NoAverage(Average):
    """The weights of the last step."""


@dataclass(frozen=True, kw_only=True)
class Ema(Average):
    """An exponential moving average of the weights: decay x average + (1 - decay) x weights, after every update.

    It begins with a shorter memory, (1 + updates) / (10 + updates), so that the initial values are soon forgotten. See
    Polyak and Juditsky, Acceleration of Stochastic Approximation by Averaging (1992).
    """

    decay: float = 0.99
    """What is kept of the average at each update; 0.99 remembers about 100 updates."""

    def __post_init__(self) -> None:
        if not 0 < self.decay < 1:
            raise InputError(f"ema(decay={self.decay}): it must lie between 0 and 1.")

    def share(self, step: int, steps: int, taken: int) -> float | None:
        return 1 - min(self.decay, (1 + taken) / (10 + taken))


@dataclass(frozen=True, kw_only=True)
class Swa(Average):
    """The plain mean of the weights after every update from some place on (Izmailov et al., 2018, arXiv:1803.05407)."""

    start: float = 0.5
    """The updates before the first that counts; below 1, their share of all updates."""

    def __post_init__(self) -> None:
        if self.start < 0:
            raise InputError(f"swa(start={self.start}): it must be at least 0.")

    def share(self, step: int, steps: int, taken: int) -> float | None:
        first = self.start * steps if self.start < 1 else self.start
        return 1 / (1 + taken) if step > first else None


AVERAGES: dict[str, type] = {"none": NoAverage, "ema": Ema, "swa": Swa}
"""What `train.average=...` can be."""
