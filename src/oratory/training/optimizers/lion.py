"""The algorithm of Lion, which the framework does not have; `train.optimizer=lion` chooses it."""

from typing import Any

import torch

from oratory.training.optimizers.uncompiled import Uncompiled


class LionOptimizer(Uncompiled):
    """Keeps one mean of gradients for each parameter."""

    def __init__(self, groups: list[dict[str, Any]], lr: float, beta1: float, beta2: float) -> None:
        super().__init__(groups, {"lr": lr, "weight_decay": 0.0, "betas": (beta1, beta2)})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Make one update."""
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if not state:
                    state["mean"] = torch.zeros_like(parameter)
                mean = state["mean"]
                parameter.mul_(1 - group["lr"] * group["weight_decay"])
                parameter.add_(torch.lerp(parameter.grad, mean, beta1).sign_(), alpha=-group["lr"])
                mean.lerp_(parameter.grad, 1 - beta2)
