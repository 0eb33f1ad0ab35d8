"""What a run would train, before anything is trained."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from oratory.tables import Table, Tabled
from oratory.training.setting import shown

if TYPE_CHECKING:
    from torch import nn

    from oratory.model import ModelConfig, Parameters
    from oratory.text import Corpus
    from oratory.tokens import Tokenizer
    from oratory.training.config import TrainConfig
    from oratory.training.origins.own.provenance import Ancestor
    from oratory.training.tasks.task import Task


@dataclass(frozen=True)
class Prepared(Tabled):
    """A model, its data and its training, all settings complete. Each origin has a subclass that builds the model."""

    task: "Task"
    corpus: "Corpus"
    """What is trained on, with a dev split where something is chosen on it."""
    fingerprint: str
    """Of the corpus as it was given."""
    source: str | None
    """The text that loads the corpus as it was given."""
    seed: int
    tokenizer: "Tokenizer"
    tokenizer_settings: str
    config: "ModelConfig"
    training: "TrainConfig"
    parameters: "Parameters"

    test_last: ClassVar[bool] = False
    """Whether test is measured only once, at the end."""

    def build(self) -> "nn.Module":
        """The model before training."""
        raise NotImplementedError

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting by its name, whether it was given or not."""
        raise NotImplementedError

    def factors(self) -> Mapping[str, float]:
        """Factors of the learning rate, for parameters whose factor is not one."""
        return {}

    def files(self) -> Mapping[str, bytes]:
        """Files that the folder of the run keeps besides the usual ones."""
        return {}

    @property
    def libraries(self) -> tuple[str, ...]:
        """Libraries that this run needs besides those of every run."""
        return ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences to show before training."""
        besides = self.config.head.hybrid
        hybrid = (f"The model is a hybrid: besides a network it has {besides}.",) if besides else ()
        return (*self.corpus.left_out, *self.corpus.carving, *hybrid)

    @property
    def provenance(self) -> "tuple[Ancestor, ...]":
        """The earlier runs that the model comes from, the nearest first."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        corpus = {"name": self.corpus.name, "fingerprint": self.fingerprint}
        parameters = self.parameters.to_dict()
        return {"corpus": corpus, "seed": self.seed, "config": self.settings, "parameters": parameters}

    def tables(self) -> list[Table]:
        rows = tuple((name, shown(value)) for name, value in self.settings.items() if self.task.uses(name))
        return [Table("Configuration", ("setting", "value"), rows, words=2), *self.parameters.tables()]
