"""Optimisers that the framework has."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError
from oratory.training.optimizers.rule import NO_FACTORS, Factors, Named, Rule, split_decay

if TYPE_CHECKING:
    from torch.optim import Optimizer

IN_BLOCKS = re.compile(r"(^|\.)(blocks?|\w*layers?|h)\.\d+\.")
"""The name of a parameter inside one of the blocks, in our models and in others."""


@dataclass(frozen=True, kw_only=True)
class Adam(Rule):
    """Adam; weight decay is added to the gradient (Kingma and Ba, 2014, arXiv:1412.6980)."""

    beta1: float = 0.9
    """Memory of the gradient."""
    beta2: float = 0.999
    """Memory of its square."""
    eps: float = 1e-8
    """Added to the root of the square."""

    def __post_init__(self) -> None:
        self._check_shares("beta1", "beta2")
        self._check_eps()

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.optimizers.uncompiled import uncompiled

        return [uncompiled("Adam")(split_decay(named, decay, factors), lr, **self._options(named))]

    def _options(self, named: Named) -> dict[str, Any]:
        return {"betas": (self.beta1, self.beta2), "eps": self.eps, "fused": _can_fuse(named)}


@dataclass(frozen=True, kw_only=True)
class Adamw(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2017, arXiv:1711.05101)."""

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.optimizers.uncompiled import uncompiled

        return [uncompiled("AdamW")(split_decay(named, decay, factors), lr, **self._options(named))]


@dataclass(frozen=True, kw_only=True)
class Sgd(Rule):
    """Gradient descent with momentum."""

    momentum: float = 0.9
    """Memory of the gradient."""
    nesterov: bool = False
    """Whether the gradient is that of the place where the momentum leads."""

    def __post_init__(self) -> None:
        self._check_shares("momentum")
        if self.nesterov and not self.momentum:
            raise InputError("nesterov=on needs a momentum above 0.")

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.optimizers.uncompiled import uncompiled

        groups = split_decay(named, decay, factors)
        return [uncompiled("SGD")(groups, lr, self.momentum, nesterov=self.nesterov, fused=_can_fuse(named))]


@dataclass(frozen=True, kw_only=True)
class Adagrad(Rule):
    """Adagrad (Duchi et al., 2011)."""

    eps: float = 1e-10
    """Added to the root of the sum of squares."""

    def __post_init__(self) -> None:
        self._check_eps()

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.optimizers.uncompiled import uncompiled

        return [uncompiled("Adagrad")(split_decay(named, decay, factors), lr, eps=self.eps)]


@dataclass(frozen=True, kw_only=True)
class Muon(Rule):
    """Muon for the matrices of the blocks, and AdamW for all the rest (Jordan et al., 2024).

    The momentum of a matrix is made orthogonal before it is subtracted; the update is scaled to the size of AdamW's
    (Liu et al., 2025, arXiv:2502.16982), so that one learning rate serves both.
    """

    momentum: float = 0.95
    """Memory of the gradient."""

    def __post_init__(self) -> None:
        self._check_shares("momentum")

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.optimizers.muon import MuonOptimizer

        inner = [entry for entry in named if IN_BLOCKS.search(entry[0]) and entry[1].dim() == 2]
        if not inner:
            return Adamw().make(named, lr, decay, factors)
        names = {name for name, _ in inner}
        outer = [entry for entry in named if entry[0] not in names]
        muon = MuonOptimizer(split_decay(inner, decay, factors), lr, self.momentum)
        return [muon, *(Adamw().make(outer, lr, decay, factors) if outer else [])]


def _can_fuse(named: Named) -> bool:
    return all(parameter.device.type in ("cpu", "cuda") for _, parameter in named)
