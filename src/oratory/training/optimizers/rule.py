"""What every optimiser has: a frozen choice with its parameters, which makes optimisers of the framework."""

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


@dataclass(frozen=True, kw_only=True)
class Rule:
    """What every optimiser has."""

    averages: ClassVar[bool] = False
    """Whether it keeps an average of the weights itself, which is what is measured and kept. Its optimisers then have
    `averaged()`, the average by parameter."""

    @property
    def curvature_every(self) -> int | None:
        """Updates from one look at the curvature of the loss to the next, where it needs that. Its optimisers then have
        `take_curvature(targets)`, called when gradients are those of targets that the model has drawn itself."""
        return None

    def make(self, named: Named, lr: float, decay: float, factors: Factors = NO_FACTORS) -> "list[Optimizer]":
        """The framework's optimisers for these parameters. A group of them keeps its factor of the learning rate."""
        raise NotImplementedError

    def _check_shares(self, *names: str) -> None:
        """Refuse a memory that forgets nothing, or less than that."""
        for name in names:
            if not 0 <= getattr(self, name) < 1:
                raise InputError(f"{name}={getattr(self, name)}: it must be at least 0 and below 1.")

    def _check_eps(self) -> None:
        eps = getattr(self, "eps")  # noqa: B009
        if eps < 0:
            raise InputError(f"eps={eps}: it must be at least 0.")


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
