"""Optimisers that the framework does not have: the choices. What they compute is in a file for each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from oratory.errors import InputError
from oratory.training.optimizers.rule import NO_FACTORS, Factors, Named, Rule, split_decay

if TYPE_CHECKING:
    from torch.optim import Optimizer


@dataclass(frozen=True, kw_only=True)
class Lion(Rule):
    """The sign of a mean of gradients, with weight decay apart from it (Chen et al., 2023, arXiv:2302.06675).

    Every number moves by the whole learning rate, so that rate is to be smaller than for Adam.
    """

    beta1: float = 0.9
    """Memory of the gradient in an update."""
    beta2: float = 0.99
    """Memory of the gradient that is kept."""

    def __post_init__(self) -> None:
        self._check_shares("beta1", "beta2")

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.optimizers.lion import LionOptimizer

        return [LionOptimizer(split_decay(named, decay, factors), lr, self.beta1, self.beta2)]


@dataclass(frozen=True, kw_only=True)
class Soap(Rule):
    """Adam in the directions in which a matrix' gradients vary most, as Shampoo finds them (Vyas et al., 2024,
    arXiv:2409.11321).

    With a gradient G, means of G G' and of G' G are kept, and Adam works on what G is in their eigenvectors. The first
    update only looks at the gradient. Vectors have plain Adam.
    """

    beta1: float = 0.95
    """Memory of the gradient."""
    beta2: float = 0.95
    """Memory of its square, and of G G' and G' G."""
    eps: float = 1e-8
    """Added to the root of the square."""
    every: int = 10
    """Updates from one look for eigenvectors to the next."""
    most: int = 1024
    """A side of a matrix that is longer than this, such as the vocabulary, stays as it is."""

    def __post_init__(self) -> None:
        self._check_shares("beta1", "beta2")
        self._check_eps()
        for name in ("every", "most"):
            if getattr(self, name) < 1:
                raise InputError(f"{name}={getattr(self, name)}: it must be at least 1.")

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.optimizers.soap import SoapOptimizer

        return [SoapOptimizer(split_decay(named, decay, factors), lr, self)]


@dataclass(frozen=True, kw_only=True)
class ScheduleFree(Rule):
    """AdamW without a schedule (Defazio et al., 2024, arXiv:2405.15682): an average x of the points z of training takes
    the place of a falling rate, and gradients are taken between the two, at beta1 x + (1 - beta1) z.

    The average is what is measured and kept. The rate is best constant after a warm-up, as in
    train.schedule=constant(warmup=0.05).
    """

    averages = True

    beta1: float = 0.9
    """The share of the average in the point where gradients are taken."""
    beta2: float = 0.999
    """Memory of the square of the gradient."""
    eps: float = 1e-8
    """Added to the root of the square."""

    def __post_init__(self) -> None:
        self._check_shares("beta1", "beta2")
        if not self.beta1:
            raise InputError("beta1=0.0: it must be above 0, or the average is not there.")
        self._check_eps()

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.optimizers.schedule_free import ScheduleFreeOptimizer

        return [ScheduleFreeOptimizer(split_decay(named, decay, factors), lr, self)]


@dataclass(frozen=True, kw_only=True)
class Sophia(Rule):
    """A mean of gradients over the curvature of the loss, with every number of it cut off at 1 (Liu et al., 2023,
    arXiv:2305.14342).

    The curvature h is estimated at every so many updates (Gauss-Newton-Bartlett): the squared gradient of targets that
    the model has drawn itself, times their number. The update is lr x clip(mean / max(gamma h, eps), 1): a rate as for
    Lion.
    """

    beta1: float = 0.965
    """Memory of the gradient."""
    beta2: float = 0.99
    """Memory of the curvature."""
    gamma: float = 0.05
    """How much of the curvature counts; the smaller, the more numbers are cut off."""
    eps: float = 1e-12
    """The least curvature."""
    every: int = 10
    """Updates from one estimate of the curvature to the next."""

    def __post_init__(self) -> None:
        self._check_shares("beta1", "beta2")
        if self.every < 1:
            raise InputError(f"every={self.every}: it must be at least 1.")
        for name in ("gamma", "eps"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name}={getattr(self, name)}: it must be above 0.")

    @property
    def curvature_every(self) -> int | None:
        return self.every

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.optimizers.sophia import SophiaOptimizer

        return [SophiaOptimizer(split_decay(named, decay, factors), lr, self)]
