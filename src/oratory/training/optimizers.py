"""Optimisers: the framework's, each as a frozen choice with its parameters."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from oratory.errors import InputError

if TYPE_CHECKING:
    from torch import nn
    from torch.optim import Optimizer

Named: TypeAlias = "Sequence[tuple[str, nn.Parameter]]"
Factors = Mapping[str, float]
"""What the learning rate of a parameter is multiplied by, where that is not one."""

NO_FACTORS: Factors = {}
IN_BLOCKS = re.compile(r"(^|\.)(blocks?|\w*layers?|h)\.\d+\.")
"""The name of a parameter inside one of the blocks, in our models and in others."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What every optimiser has."""

    precision: ClassVar[str] = "float32"
    """The numbers that it computes in, whatever the model has."""

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        """The framework's optimisers for these parameters. A group of them keeps its factor of the learning rate."""
        raise NotImplementedError


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
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"{name}={getattr(self, name)}: it must be at least 0 and below 1.")
        if self.eps < 0:
            raise InputError(f"eps={self.eps}: it must be at least 0.")

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        import torch

        return [torch.optim.Adam(split_decay(named, decay, factors), lr, **self._options(named))]

    def _options(self, named: Named) -> dict[str, Any]:
        return {"betas": (self.beta1, self.beta2), "eps": self.eps, "fused": _can_fuse(named)}


@dataclass(frozen=True, kw_only=True)
class Adamw(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov and Hutter, 2017, arXiv:1711.05101)."""

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        import torch

        return [torch.optim.AdamW(split_decay(named, decay, factors), lr, **self._options(named))]


@dataclass(frozen=True, kw_only=True)
class Sgd(Rule):
    """Gradient descent with momentum."""

    momentum: float = 0.9
    """Memory of the gradient."""
    nesterov: bool = False
    """Whether the gradient is that of the place where the momentum leads."""

    def __post_init__(self) -> None:
        if not 0 <= self.momentum < 1:
            raise InputError(f"momentum={self.momentum}: it must be at least 0 and below 1.")
        if self.nesterov and not self.momentum:
            raise InputError("nesterov=on needs a momentum above 0.")

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        import torch

        groups = split_decay(named, decay, factors)
        return [torch.optim.SGD(groups, lr, self.momentum, nesterov=self.nesterov, fused=_can_fuse(named))]


@dataclass(frozen=True, kw_only=True)
class Adagrad(Rule):
    """Adagrad (Duchi et al., 2011)."""

    eps: float = 1e-10
    """Added to the root of the sum of squares."""

    def __post_init__(self) -> None:
        if self.eps < 0:
            raise InputError(f"eps={self.eps}: it must be at least 0.")

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        import torch

        return [torch.optim.Adagrad(split_decay(named, decay, factors), lr, eps=self.eps)]


@dataclass(frozen=True, kw_only=True)
class Muon(Rule):
    """Muon for the matrices of the blocks, and AdamW for all the rest (Jordan et al., 2024).

    The momentum of a matrix is made orthogonal before it is subtracted; the update is scaled to the size of AdamW's
    (Liu et al., 2025, arXiv:2502.16982), so that one learning rate serves both.
    """

    precision = "bfloat16"
    momentum: float = 0.95
    """Memory of the gradient."""

    def __post_init__(self) -> None:
        if not 0 <= self.momentum < 1:
            raise InputError(f"momentum={self.momentum}: it must be at least 0 and below 1.")

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        import torch

        inner = [entry for entry in named if IN_BLOCKS.search(entry[0]) and entry[1].dim() == 2]
        if not inner:
            return Adamw().make(named, lr, decay, factors)
        names = {name for name, _ in inner}
        outer = [entry for entry in named if entry[0] not in names]
        muon = torch.optim.Muon(
            split_decay(inner, decay, factors),
            lr,
            momentum=self.momentum,
            adjust_lr_fn="match_rms_adamw",
        )
        return [muon, *(Adamw().make(outer, lr, decay, factors) if outer else [])]


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
        for name in ("beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"{name}={getattr(self, name)}: it must be at least 0 and below 1.")

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        from oratory.training.lion import LionOptimizer

        return [LionOptimizer(split_decay(named, decay, factors), lr, self.beta1, self.beta2)]


OPTIMIZERS: dict[str, type] = {
    "adam": Adam,
    "adamw": Adamw,
    "sgd": Sgd,
    "adagrad": Adagrad,
    "muon": Muon,
    "lion": Lion,
}
"""What `train.optimizer=...` can be."""


def split_decay(named: Named, decay: float, factors: Factors = NO_FACTORS) -> list[dict[str, Any]]:
    """Groups of parameters: matrices, which decay, and norms and biases, which do not; for each factor apart."""
    groups: dict[tuple[float, bool], list[nn.Parameter]] = {}
    for is_vector in (False, True):
        for name, parameter in named:
            if (parameter.dim() <= 1) == is_vector:
                groups.setdefault((factors.get(name, 1.0), is_vector), []).append(parameter)
    return [
        {"params": parameters, "weight_decay": 0.0 if is_vector else decay}
        | ({} if factor == 1 else {"factor": factor})
        for (factor, is_vector), parameters in groups.items()
    ]


def _can_fuse(named: Named) -> bool:
    return all(parameter.device.type in ("cpu", "cuda") for _, parameter in named)
