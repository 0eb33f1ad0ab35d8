"""The settings of training that a classifier has besides those of every model."""

from dataclasses import dataclass

from oratory.training.config import TrainConfig


@dataclass(frozen=True, kw_only=True)
class ClassifierTraining(TrainConfig):
    """How a classifier is trained."""

    rdrop: float = 0.0
    """R-Drop: the weight of the divergence between two passes with different dropout (Liang et al., 2021)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._at_least("rdrop", 0)
