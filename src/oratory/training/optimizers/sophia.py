"""The algorithm of Sophia; `train.optimizer=sophia` chooses it."""

from typing import TYPE_CHECKING, Any

import torch

from oratory.training.optimizers.uncompiled import Uncompiled

if TYPE_CHECKING:
    from oratory.training.optimizers.newer import Sophia


class SophiaOptimizer(Uncompiled):
    """Keeps a mean of gradients and one of the curvature for each parameter."""

    def __init__(self, groups: list[dict[str, Any]], lr: float, rule: "Sophia") -> None:
        super().__init__(groups, {"lr": lr, "weight_decay": 0.0})
        self.rule = rule

    @torch.no_grad()
    def take_curvature(self, targets: float) -> None:
        """Take in the gradients of the mean loss of so many targets, which the model has drawn itself."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    estimate = parameter.grad.square().mul_(targets)
                    self._state(parameter)["curvature"].lerp_(estimate, 1 - self.rule.beta2)

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Make one update."""
        rule = self.rule
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self._state(parameter)
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                state["mean"].lerp_(parameter.grad, 1 - rule.beta1)
                least = (rule.gamma * state["curvature"]).clamp_(min=rule.eps)
                parameter.add_((state["mean"] / least).clamp_(-1, 1), alpha=-group["lr"])

    def _state(self, parameter: torch.Tensor) -> dict[str, Any]:
        state: dict[str, Any] = self.state[parameter]
        if not state:
            state["mean"], state["curvature"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
        return state
