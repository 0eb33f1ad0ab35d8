"""Optimisers, each as a frozen choice with its parameters. Those that the framework does not have are files here."""

from oratory.training.optimizers.newer import Lion, ScheduleFree, Soap, Sophia
from oratory.training.optimizers.rule import NO_FACTORS, Factors, Named, Rule, split_decay
from oratory.training.optimizers.usual import Adagrad, Adam, Adamw, Muon, Sgd

OPTIMIZERS: dict[str, type] = {
    "adam": Adam,
    "adamw": Adamw,
    "sgd": Sgd,
    "adagrad": Adagrad,
    "muon": Muon,
    "lion": Lion,
    "soap": Soap,
    "schedule-free": ScheduleFree,
    "sophia": Sophia,
}
"""What `train.optimizer=...` can be."""

__all__ = ["NO_FACTORS", "OPTIMIZERS", "Adam", "Factors", "Muon", "Named", "Rule", "Sgd", "split_decay"]
