"""The algorithm of Muon for the matrices of the blocks; `train.optimizer=muon` chooses it.

PyTorch's own makes matrices orthogonal in bfloat16, which takes twenty times as long on processors that have no such
numbers. Here it is done in 32 bits, which is the same on every machine.

Shapes: R rows, C columns, R <= C.
"""

from contextlib import nullcontext
from typing import Any

import torch
from torch import Tensor

from oratory.model.products import fast_products
from oratory.training.optimizers.uncompiled import Uncompiled

COEFFICIENTS = (3.4445, -4.7750, 2.0315)
"""Of the polynomial in Jordan et al., 2024: the steepest at zero that keeps singular values near one."""
STEPS = 5
"""How often it is applied."""
TINY = 1e-7
"""The least norm that a matrix is divided by."""
SIZE = 0.2
"""The mean size of a number of an update of AdamW (Liu et al., 2025, arXiv:2502.16982), to which updates are scaled."""
WIDE = 128
"""The shorter side of a matrix from which on its products are large enough for the faster library."""


class MuonOptimizer(Uncompiled):
    """Keeps one mean of gradients for each matrix."""

    def __init__(self, groups: list[dict[str, Any]], lr: float, momentum: float) -> None:
        super().__init__(groups, {"lr": lr, "weight_decay": 0.0, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Make one update."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                update = orthogonal(self._gradient(parameter, group["momentum"]))
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.sub_(update, alpha=SIZE * max(parameter.shape) ** 0.5 * group["lr"])

    def _gradient(self, parameter: Tensor, momentum: float) -> Tensor:
        """The gradient and the mean of those so far, as one (Nesterov)."""
        state, gradient = self.state[parameter], parameter.grad
        assert gradient is not None
        if not state:
            state["momentum_buffer"] = torch.zeros_like(gradient)
        mean: Tensor = state["momentum_buffer"].lerp_(gradient, 1 - momentum)
        return gradient.lerp(mean, momentum)


def orthogonal(matrix: Tensor) -> Tensor:
    """A matrix with the same directions and singular values near one, by Newton and Schulz' iteration."""
    first, third, fifth = COEFFICIENTS
    upright = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if upright else matrix  # R, C; products of the shorter side are smaller.
    x = x / x.norm().clamp(min=TINY)
    with fast_products() if len(x) >= WIDE else nullcontext():
        for _ in range(STEPS):
            products = x @ x.T  # R, R
            x = torch.addmm(x, torch.addmm(products, products, products, beta=third, alpha=fifth), x, beta=first)
    return x.T if upright else x
