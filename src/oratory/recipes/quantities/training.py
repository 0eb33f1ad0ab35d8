"""Figures of training itself."""

from collections.abc import Mapping
from typing import Any

from oratory.recipes.quantity import Quantity


class TrainLoss(Quantity):
    """The mean loss of the updates since the evaluation before."""

    names = ("train loss",)
    digits = 4

    def at_evaluation(self, entry: Mapping[str, Any]) -> float | None:
        return entry.get("train_loss")


class TrainSeconds(Quantity):
    """The seconds since the evaluation before."""

    names = ("seconds",)

    def at_evaluation(self, entry: Mapping[str, Any]) -> float | None:
        return entry.get("seconds")
