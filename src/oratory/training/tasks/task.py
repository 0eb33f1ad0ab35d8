"""What every task has. A task is a folder beside this file, found by being there."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from oratory.discovery import classes_in
from oratory.errors import InputError, unknown
from oratory.training.tasks.metric import Metric

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pyarrow
    from numpy.typing import NDArray
    from torch import Tensor, nn

    from oratory.baselines import Baselines
    from oratory.batches import Batch
    from oratory.model import ModelConfig, Transformer
    from oratory.statistics import Array
    from oratory.tables import Tabled
    from oratory.text import Corpus
    from oratory.tokens import Tokenizer
    from oratory.training.config import TrainConfig
    from oratory.training.prepared import Prepared
    from oratory.training.tasks.results import Results

IMPLIED = ("output", "causal")
"""Settings of a model that follow from its task, and are not written down with it."""


class Task(ABC):
    """What a model is trained for: its data, settings, loss, scores, metrics, tables and baselines."""

    name: ClassVar[str]
    noun: ClassVar[str]
    """What a model for this task is called in a sentence."""
    model: ClassVar[Mapping[str, Any]]
    """Where the base settings of its model differ from the defaults."""
    training: ClassVar[Mapping[str, Any]]
    """Where the base settings of its training differ from the defaults."""
    foreign: ClassVar[Mapping[str, str]] = {
        "items": "language models",
        "stride": "language models",
        "truncate": "language models",
    }
    """Settings of training that this task has no use for, and what they are for."""
    unused: ClassVar[Sequence[str]] = ()
    """Settings of a model that change nothing in this task."""
    results: ClassVar["Results"]
    """What a record of a run says, as figures, tables and pictures."""

    def __str__(self) -> str:
        return self.name

    # --- the corpus and the settings

    @abstractmethod
    def has(self, corpus: "Corpus", split: str) -> bool:
        """Whether the corpus has train, dev or test for this task."""

    @abstractmethod
    def need(self, corpus: "Corpus") -> None:
        """Refuse a corpus that has nothing to train this task on."""

    def need_test(self, corpus: "Corpus") -> None:
        """Refuse a corpus that has no test for this task."""
        self.need(corpus)
        if not self.has(corpus, "test"):
            raise InputError(f"The corpus {corpus.name} has no test split, so there is nothing to compare on.")

    def labels(self, corpus: "Corpus") -> tuple[str, ...]:
        """The names of the classes, where there are any."""
        return ()

    def config(self, vocabulary: int, classes: int = 0, **changes: Any) -> "ModelConfig":
        """The base settings of the model, with changes; these may be text, as in a command."""
        from oratory.model import ModelConfig

        return ModelConfig.from_dict({**self.model, "vocabulary": vocabulary, "classes": classes, **changes})

    def recorded(self, config: "ModelConfig") -> dict[str, Any]:
        """The settings of a model as a record has them."""
        return {"task": self.name, **{name: v for name, v in config.to_dict().items() if name not in IMPLIED}}

    def config_of(self, settings: Mapping[str, Any]) -> "ModelConfig":
        """The configuration of a model, from the settings of a record."""
        from dataclasses import fields

        from oratory.model import ModelConfig

        known = {field.name for field in fields(ModelConfig)}
        implied = {name: self.model[name] for name in IMPLIED if name in self.model}
        return ModelConfig.from_dict(implied | {name: v for name, v in settings.items() if name in known})

    def check(self, training: "TrainConfig", context: int) -> None:
        """Refuse settings of training that make no sense for this task."""
        from oratory.training.config import PREFIX, default_of

        for name, whose in self.foreign.items():
            if getattr(training, name) != default_of(name):
                raise InputError(f"{PREFIX}{name} is for {whose}; the task is {self.name}.")

    def uses(self, setting: str) -> bool:
        """Whether a setting, by the name that users write, matters to this task."""
        from oratory.training.config import prefixed

        return setting not in (*self.unused, *prefixed(self.foreign))

    def tokenizer(self, chosen: str, config: "ModelConfig") -> str:
        """The tokenizer that a model needs, given the one that was chosen."""
        return chosen

    # --- learning

    @abstractmethod
    def learning(self, prepared: "Prepared") -> "Learning":
        """What the training loop needs of this task."""

    # --- comparing

    @cached_property
    def metrics(self) -> dict[str, Metric]:
        """Every metric of this task by its name, the preferred ones first."""
        folder = f"{type(self).__module__}.metrics"
        found = [cls() for cls in classes_in(folder, Metric)]
        return {metric.name: metric for metric in sorted(found, key=lambda metric: metric.rank)}

    def metric(self, same_tokens: bool = True, name: str | None = None) -> Metric:
        """The metric of that name, or the first one that the tokenizers of the runs allow."""
        if name is not None:
            plain = name.replace("-", " ")
            if plain not in self.metrics:
                raise unknown(f"metric of a {self.noun}", name, self.metrics)
            chosen = self.metrics[plain]
            if chosen.same_tokens and not same_tokens:
                raise InputError(f"The {chosen.name} of runs with different tokenizers cannot be compared.")
            return chosen
        return next(metric for metric in self.metrics.values() if same_tokens or not metric.same_tokens)

    @abstractmethod
    def units(self, corpus: "Corpus", split: str = "test") -> "Units":
        """What a metric is a mean over on test or on dev, and its parts."""

    @abstractmethod
    def baselines(self, corpus: "Corpus", tokenizers: Sequence[str], keep: "Path | None" = None) -> "Baselines":
        """What the baselines of this task score, with the tokens of the runs where that matters."""

    # --- using what was trained

    @abstractmethod
    def score(self, run: "Trained", line: str) -> "Tabled":
        """What the model makes of one text."""

    def generate(self, run: "Trained", prompt: str, tokens: int, **options: Any) -> str:
        """The prompt and its continuation."""
        raise InputError(f"The run {run.id} is a {self.noun}; only a language model can continue a text.")

    def extrapolate(self, run: "Trained", corpus: "Corpus", factors: Sequence[int]) -> "Tabled":
        """The figure of the test texts where the model sees more tokens at once than in training."""
        raise InputError(f"The run {run.id} is a {self.noun}; only a language model has a perplexity.")


class Items(Protocol):
    """What is learned from."""

    @property
    def lengths(self) -> Any: ...
    def __len__(self) -> int: ...
    def targets(self, items: Any) -> int: ...
    def batch(self, items: Any) -> "Batch": ...


class Scores(Protocol):
    """What a model scores on every split or text that was measured."""

    @property
    def on_dev(self) -> tuple[float, ...] | None:
        """What is chosen by: the larger the better. None where there is no dev."""

    def row(self) -> dict[str, Any]:
        """The figures of one line of the metrics."""

    def to_dict(self) -> dict[str, Any]:
        """Every figure."""

    def items(self) -> "pyarrow.Table":
        """The result of every item but those of train."""

    def described(self, step: int, epoch: float, loss: str) -> str:
        """One line for the terminal: where training is, its loss, and the figures."""


class Learning(Protocol):
    """One task on one corpus, ready for the training loop."""

    @property
    def items(self) -> Items: ...

    def loss(self, model: "nn.Module", batch: "Batch", targets: int, smoothing: float) -> "Tensor":
        """The loss of a batch, which may be a part of an update; `targets` counts those of the whole update."""

    def measure(self, model: Any, final: bool) -> Scores:
        """The scores. On the way, train or test may be left out; at the end everything is measured."""

    def facts(self) -> dict[str, Any]:
        """What the record of the run keeps, so that its model can be used as it was trained."""


class Units(Protocol):
    """What a metric is a mean over: texts, or blocks of running text."""

    @property
    def parts(self) -> "Mapping[str, NDArray[np.bool_]]":
        """Which of them belong to each part; the first part is `all`."""

    def values(self, table: "pyarrow.Table", metric: Any) -> "tuple[Array, Array]":
        """The value of each, from the per-item results of a run, and its weight."""


class Trained(Protocol):
    """What a task needs to know of a trained run."""

    @property
    def id(self) -> str: ...
    @property
    def config(self) -> "ModelConfig": ...
    @property
    def model(self) -> "Transformer": ...
    @property
    def tokenizer(self) -> "Tokenizer": ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def facts(self) -> Mapping[str, Any]: ...
    @property
    def fingerprint(self) -> str: ...
