"""The algorithm of SOAP; `train.optimizer=soap` chooses it."""

import math
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from oratory.training.optimizers.uncompiled import Uncompiled

if TYPE_CHECKING:
    from oratory.training.optimizers.newer import Soap


class SoapOptimizer(Uncompiled):
    """Keeps for each parameter the two means of Adam and, for each side that is turned, a mean of products and a basis.

    As the published code does, means of squares stay in the order of the basis, and that of the gradient is kept
    unturned.
    """

    def __init__(self, groups: list[dict[str, Any]], lr: float, rule: "Soap") -> None:
        super().__init__(groups, {"lr": lr, "weight_decay": 0.0})
        self.rule = rule

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Make one update; the first one only begins the means."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state, gradient = self.state[parameter], parameter.grad
                if not state:
                    self._begin(state, gradient)
                    continue
                state["step"] += 1
                self._move(parameter, gradient, state, group)
                self._look(state, gradient)
                if int(state["step"]) % self.rule.every == 0:
                    self._turn_bases(state)

    def _begin(self, state: dict[str, Tensor], gradient: Tensor) -> None:
        state["step"] = torch.tensor(0.0)
        # Row by row in memory, here and for the bases, as a checkpoint gives them back: products round by the order.
        state["mean"], state["square"] = (gradient.new_zeros(gradient.shape) for _ in range(2))
        if gradient.dim() > 1:
            for side, length in enumerate(gradient.shape):
                if length <= self.rule.most:
                    state[f"products{side}"] = gradient.new_zeros(length, length)
        self._look(state, gradient)
        for side in _sides(state):
            _, vectors = torch.linalg.eigh(state[f"products{side}"])
            state[f"basis{side}"] = vectors.flip(1).contiguous()  # The largest first.

    def _move(self, parameter: Tensor, gradient: Tensor, state: dict[str, Tensor], group: dict[str, Any]) -> None:
        rule, step = self.rule, int(state["step"])
        mean, square = state["mean"], state["square"]
        mean.lerp_(gradient, 1 - rule.beta1)
        square.lerp_(_turned(gradient, state).square(), 1 - rule.beta2)
        update = _turned(_turned(mean, state) / square.sqrt().add_(rule.eps), state, back=True)
        size = group["lr"] * math.sqrt(1 - rule.beta2**step) / (1 - rule.beta1**step)
        parameter.add_(update, alpha=-size)
        parameter.mul_(1 - group["lr"] * group["weight_decay"])

    def _look(self, state: dict[str, Tensor], gradient: Tensor) -> None:
        """Take the products of the gradient with itself, along each side, into their means."""
        for side in _sides(state):
            flat = gradient.movedim(side, 0).flatten(1)
            state[f"products{side}"].lerp_(flat @ flat.T, 1 - self.rule.beta2)

    def _turn_bases(self, state: dict[str, Tensor]) -> None:
        """One power iteration and a QR decomposition in place of the eigenvectors, which would cost much more."""
        for side in _sides(state):
            basis = state[f"basis{side}"]
            grown = state[f"products{side}"] @ basis
            order = (basis * grown).sum(0).argsort(descending=True)
            state["square"] = state["square"].index_select(side, order)
            state[f"basis{side}"] = torch.linalg.qr(grown.index_select(1, order))[0].contiguous()


def _sides(state: dict[str, Tensor]) -> list[int]:
    """The sides that are turned."""
    return [int(name.removeprefix("products")) for name in state if name.startswith("products")]


def _turned(x: Tensor, state: dict[str, Tensor], back: bool = False) -> Tensor:
    """A tensor in its bases, or back from them."""
    for side in range(x.dim()):
        basis = state.get(f"basis{side}")
        # The first side goes to the end each time, so that all are in their places again after the last.
        x = x.movedim(0, -1) if basis is None else torch.tensordot(x, basis, dims=([0], [int(back)]))
    return x
