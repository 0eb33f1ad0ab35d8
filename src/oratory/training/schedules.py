"""How the learning rate moves: a factor between 0 and 1 for every step."""

import math
from dataclasses import dataclass

from oratory.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """What every schedule has: a linear warm-up, and then a course of its own."""

    warmup: float = 0.0
    """Steps over which the rate rises from 0; below 1, their share of all steps."""

    def __post_init__(self) -> None:
        if self.warmup < 0:
            raise InputError(f"The warm-up of a schedule must be at least 0, not {self.warmup}.")

    def factor(self, step: int, steps: int) -> float:
        """The share of the learning rate at a step, counted from 0."""
        rising = self.rising(steps)
        if step < rising:
            return (step + 1) / (rising + 1)
        return self.course((step - rising) / max(1, steps - rising))

    def rising(self, steps: int) -> int:
        """The steps of the warm-up."""
        return round(self.warmup * steps) if self.warmup < 1 else round(self.warmup)

    def course(self, done: float) -> float:
        """The factor after the warm-up; `done` goes from 0 towards 1."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Constant(Schedule):
    """The same rate all the time."""

    def course(self, done: float) -> float:
        return 1.0


@dataclass(frozen=True, kw_only=True)
class Linear(Schedule):
    """A straight line down."""

    final: float = 0.0
    """The factor at the end."""

    def course(self, done: float) -> float:
        return 1 + done * (self.final - 1)


@dataclass(frozen=True, kw_only=True)
class Cosine(Schedule):
    """Half a cosine down (Loshchilov and Hutter, 2016, arXiv:1608.03983)."""

    final: float = 0.0
    """The factor at the end."""

    def course(self, done: float) -> float:
        return self.final + (1 - self.final) * _half_cosine(done)


@dataclass(frozen=True, kw_only=True)
class OneCycle(Schedule):
    """Half a cosine up, and half a cosine down to almost nothing (Smith and Topin, 2017, arXiv:1708.07120)."""

    warmup: float = 0.3
    first: float = 0.04
    """The factor at the first step."""
    final: float = 4e-6
    """The factor at the end."""

    def factor(self, step: int, steps: int) -> float:
        rising = self.rising(steps)
        if step < rising:
            return 1 - (1 - self.first) * _half_cosine(step / rising)
        return self.course((step - rising) / max(1, steps - rising))

    def course(self, done: float) -> float:
        return self.final + (1 - self.final) * _half_cosine(done)


@dataclass(frozen=True, kw_only=True)
class Wsd(Schedule):
    """The same rate for most of the time, and a straight line down at the end: warm-up, stable, decay (Hu et al., 2024,
    arXiv:2404.06395)."""

    decay: float = 0.2
    """The share of the steps after the warm-up over which the rate falls."""
    final: float = 0.0
    """The factor at the end."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.decay <= 1:
            raise InputError(f"wsd(decay={self.decay}): it must lie above 0 and up to 1.")

    def course(self, done: float) -> float:
        return 1 + max(0.0, (done - (1 - self.decay)) / self.decay) * (self.final - 1)


def _half_cosine(done: float) -> float:
    """From 1 down to 0."""
    return (1 + math.cos(math.pi * done)) / 2


SCHEDULES: dict[str, type] = {
    "constant": Constant,
    "linear": Linear,
    "cosine": Cosine,
    "one-cycle": OneCycle,
    "wsd": Wsd,
}
"""What `train.schedule=...` can be."""
