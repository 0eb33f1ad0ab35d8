"""The algorithm of schedule-free AdamW; `train.optimizer=schedule-free` chooses it."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from oratory.training.optimizers.uncompiled import Uncompiled

if TYPE_CHECKING:
    from oratory.training.optimizers.newer import ScheduleFree


class ScheduleFreeOptimizer(Uncompiled):
    """The parameters are y = beta1 x + (1 - beta1) z, where gradients are taken. Of each, z is kept, and x follows.

    A point counts in the average as the square of the largest rate so far, so that a warm-up counts for little.
    """

    def __init__(self, groups: list[dict[str, Any]], lr: float, rule: "ScheduleFree") -> None:
        super().__init__(groups, {"lr": lr, "weight_decay": 0.0})
        self.rule = rule

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Make one update."""
        rule = self.rule
        for group in self.param_groups:
            for y in group["params"]:
                if y.grad is None:
                    continue
                state, lr = self.state[y], group["lr"]
                if not state:
                    state["step"] = torch.tensor(0.0)
                    state["z"], state["square"] = y.clone(), torch.zeros_like(y)
                    state["largest"], state["total"] = y.new_zeros(()), y.new_zeros(())
                state["step"] += 1
                state["largest"].clamp_(min=lr)
                weight = state["largest"].square()
                state["total"] += weight
                share = float(weight / state["total"])
                z, square = state["z"], state["square"]
                square.lerp_(y.grad.square(), 1 - rule.beta2)
                corrected = square / (1 - rule.beta2 ** int(state["step"]))
                update = (y.grad / (corrected.sqrt() + rule.eps)).add_(y, alpha=group["weight_decay"])
                y.lerp_(z, share).add_(update, alpha=lr * (rule.beta1 * (1 - share) - 1))
                z.sub_(update, alpha=lr)

    @torch.no_grad()
    def averaged(self) -> dict[Tensor, Tensor]:
        """The average x of each parameter that has moved."""
        return {y: torch.lerp(y, state["z"], 1 - 1 / self.rule.beta1) for y, state in self.state.items() if state}
