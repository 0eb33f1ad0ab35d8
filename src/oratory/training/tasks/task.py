"""What every task has. A task is a folder beside this file, found by being there."""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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

    from oratory.batches import Batch
    from oratory.mechanisms import TrainingText
    from oratory.model import ModelConfig, Transformer
    from oratory.tables import Tabled
    from oratory.text import Corpus
    from oratory.tokens import Encoded, Tokenizer
    from oratory.training.config import TrainConfig
    from oratory.training.prepared import Prepared
    from oratory.training.running_text.guess import Beam, CountedModel, ExpectedTokens, NextToken
    from oratory.training.tasks.baselines import TaskBaselines
    from oratory.training.tasks.card import TaskCard
    from oratory.training.tasks.labelled import SplitScores
    from oratory.training.tasks.results import Recorded, Results
    from oratory.training.tasks.samples import Samples
    from oratory.training.tasks.units import Units

IMPLIED = ("output", "causal")
"""Settings of a model that follow from its task, and are not written down with it."""


@dataclass(frozen=True)
class KeptNumber:
    """A whole number that the records of a task keep, and between which others it lies."""

    least: int
    most: Callable[[Mapping[str, Any]], int] = lambda settings: sys.maxsize
    """From the settings of the run."""


class Task(ABC):
    """What a model is trained for: its data, settings, loss, scores, metrics, tables and baselines."""

    name: ClassVar[str]
    noun: ClassVar[str]
    """What a model for this task is called in a sentence."""
    model: ClassVar[Mapping[str, Any]]
    """Where the base settings of its model differ from the defaults."""
    training: ClassVar[Mapping[str, Any]]
    """Where the base settings of its training differ from the defaults."""
    unused: ClassVar[Sequence[str]] = ()
    """Settings of a model that change nothing in this task."""
    cuts: ClassVar[bool] = False
    """Whether a model never gets more of a text than its context."""
    spells: ClassVar[bool] = False
    """Whether its tokenizers learn to spell the text that their tokens leave open."""
    no_baselines: ClassVar["TaskBaselines"]
    """What its baselines score where the corpus has no test for it."""
    kept_numbers: ClassVar[Mapping[str, KeptNumber]] = {}
    """What the record of a run keeps besides, as `Learning.facts` gives it."""
    first_try: ClassVar[Sequence[str]] = ("score", "We will go on together.")
    """What to try with a trained model: a command, and what follows the run there."""
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

    @abstractmethod
    def test_texts(self, corpus: "Corpus") -> tuple[str, ...]:
        """The texts that it is measured on, if there are any."""

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

    def train_config(self) -> "type[TrainConfig]":
        """The settings of its training: those of every task, and its own."""
        from oratory.training.config import TrainConfig

        return TrainConfig

    def recorded_training(self, training: "TrainConfig") -> dict[str, Any]:
        """The settings of training as a record has them."""
        from pathlib import Path

        from oratory.training.config import prefixed

        values = prefixed(training.to_dict())
        if training.teachers:  # By their ids, wherever they are.
            values["train.teachers"] = "+".join(Path(folder).name for folder in training.teachers)
        return values

    def uses(self, setting: str) -> bool:
        """Whether a setting, by the name that users write, matters to this task."""
        from dataclasses import fields

        from oratory.training.config import PREFIX

        if setting.startswith(PREFIX):
            return setting.removeprefix(PREFIX) in {field.name for field in fields(self.train_config())}
        return setting not in self.unused

    def tokenizer(self, chosen: str, config: "ModelConfig | None" = None) -> str:
        """The tokenizer that a model needs, given the one that was chosen."""
        return chosen

    def need_tokens(self, tokenizer: "Tokenizer", config: "ModelConfig | None" = None) -> None:  # noqa: B027
        """Refuse a tokenizer that this task cannot use, with a model of that configuration."""

    def starts_from(self, other: "Task") -> bool:
        """Whether a model for this task can start from one that was trained for another."""
        return other.name == self.name

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
            found = {known.replace("-", " "): metric for known, metric in self.metrics.items()}
            if name.replace("-", " ") not in found:
                raise unknown(f"metric of a {self.noun}", name, self.metrics)
            asked = [found[name.replace("-", " ")]]
        else:
            asked = list(self.metrics.values())
        fitting = [metric for metric in asked if same_tokens or not metric.same_tokens]
        if not fitting:
            raise InputError(f"The {asked[0].name} of runs with different tokenizers cannot be compared.")
        return fitting[0]

    def check_tokens(  # noqa: B027 - most tasks take any
        self, corpus: "Corpus", tokenizers: "Mapping[str, Tokenizer]", metric: str | None = None
    ) -> None:
        """Refuse tokenizers whose models cannot be compared, by the metric of that name where one is given."""

    @abstractmethod
    def train_size(self, corpus: "Corpus") -> tuple[int, str]:
        """How much there is to learn from, and what is counted."""

    @abstractmethod
    def in_train(self, corpus: "Corpus") -> str:
        """How much of test train has too, in a sentence."""

    @abstractmethod
    def units(self, corpus: "Corpus", split: str = "test") -> "Units":
        """What a metric is a mean over on test or on dev, and its parts."""

    def counted_tokens(self, corpus: "Corpus", chosen: str) -> "dict[str, Tokenizer]":
        """The tokenizer whose tokens its baselines count, given the one that was chosen; none if they count none."""
        return {}

    @abstractmethod
    def baselines(
        self,
        corpus: "Corpus",
        tokenizers: "Mapping[str, Tokenizer]",
        keep: "Path | None" = None,
        discount: float | None = None,
    ) -> "Sequence[TaskBaselines]":
        """What the baselines of this task score; where tokens matter, once with each of the tokenizers.

        Its metrics read from it (`Metric.of_baselines`). A discount of counts that is not given is chosen on dev.
        """

    @abstractmethod
    def averaged(self, tables: "Sequence[pyarrow.Table]") -> "pyarrow.Table":
        """The per-item results of several runs as those of one model, whose probabilities are the mean of theirs."""

    counts_share: ClassVar[float | None] = None
    """The share of n-grams in a mixture of them with an ensemble, where models of this task can be mixed with them."""

    def counted_nats(self, corpus: "Corpus", tokenizer: "Tokenizer") -> "Mapping[str, NDArray[np.float64]]":
        """What n-grams of train say of every item of test, by text, to be mixed with what models say."""
        raise InputError(f"A {self.noun} cannot be mixed with n-grams; --counts is for language models.")

    def mixed_with_counts(
        self, table: "pyarrow.Table", counted: "Mapping[str, NDArray[np.float64]]", share: float
    ) -> "pyarrow.Table":
        """The per-item results of a model that is mixed with n-grams of train, which have this share."""
        raise NotImplementedError

    def rivals(
        self, corpus: "Corpus", tokenizer: "Tokenizer", items: "pyarrow.Table", metric: "Metric"
    ) -> "Mapping[str, pyarrow.Table]":
        """The strongest baselines by name, each with per-item results like those of a run; none where none has any."""
        return {}

    # --- using what was trained

    @abstractmethod
    def score(self, run: "Trained", line: str) -> "Tabled":
        """What the model makes of one text."""

    def labelled(self, items: "pyarrow.Table") -> "SplitScores":
        """The recorded results of one split, where its items have labels."""
        raise InputError(f"Items of the task {self.name} have no labels.")

    def generate(self, run: "Trained", prompt: str, tokens: int, **options: Any) -> str:
        """The prompt and its continuation."""
        raise InputError(f"The run {run.id} is a {self.noun}, which cannot continue a text.")

    def alternatives(self, run: "Trained", line: str, most: int) -> "ExpectedTokens":
        """The surprisal of every token of a text, and the most probable tokens in its place."""
        raise InputError(f"The run {run.id} is a {self.noun}, which does not say what comes next in a text.")

    def next_token(self, run: "Trained", prompt: str, made: Sequence[int], most: int, **options: Any) -> "NextToken":
        """One token more after a prompt and what was made of it so far, and what else could come there."""
        raise InputError(f"The run {run.id} is a {self.noun}, which cannot continue a text.")

    def beam(self, run: "Trained", prompt: str, made: Sequence[int], width: int, ahead: int) -> "list[Beam]":
        """The most probable ways to go on for some tokens."""
        raise InputError(f"The run {run.id} is a {self.noun}, which cannot continue a text.")

    def counted(self, run: "Trained", corpus: "Corpus", keep: "Path | None" = None) -> "CountedModel":
        """The best of its baselines as a model that scores single texts, over the tokens of a run."""
        raise InputError(f"The run {run.id} is a {self.noun}, which has no counts to score a text with.")

    def extrapolate(self, run: "Trained", corpus: "Corpus", factors: Sequence[int]) -> "Tabled":
        """The figure of the test texts where the model sees more tokens at once than in training."""
        raise InputError(f"The run {run.id} is a {self.noun}, which has no figure for texts longer than its context.")

    def card(self, run: "Recorded") -> "TaskCard":
        """What the card of a published model says; only a task that published models can be trained for has one."""
        raise NotImplementedError

    def tracked(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """The figures of an evaluation as trackers name them: the figure, then what it was measured on."""
        return {f"{figure}/{text}": value for figure, found in row.items() for text, value in found.items()}

    # --- looking into what was trained

    @abstractmethod
    def opening(self, tokenizer: "Tokenizer") -> int | None:
        """The token that is put before a text, where the tokenizer has it."""

    @abstractmethod
    def samples(
        self, run: "Trained", corpus: "Corpus", encode: Callable[[str], Sequence[int]], tokens: int
    ) -> "Samples":
        """Held-out texts to look at a model with, of about so many tokens; `encode` gives the ids of a single text."""

    @abstractmethod
    def losses(self, model: "Transformer", samples: "Samples", tokenizer: "Tokenizer") -> "NDArray[np.float64]":
        """The loss of each text in nats, whoever trained the model."""


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
        """One line for the terminal: where training is, its loss, and the figures; those of test if there is no dev."""


class Learning(ABC):
    """One task on one corpus, ready for the training loop."""

    items: Items
    encoded: "Mapping[str, Encoded]"
    """Every split or text as tokens."""
    next_tokens: ClassVar[bool] = False
    """Whether the targets of a batch are the tokens that follow those of its ids."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences to show before training."""
        return ()

    def items_of(self, epoch: int) -> Items:
        """What is learned from in an epoch; the same in all of them, unless the task draws something for each."""
        return self.items

    @abstractmethod
    def training_text(self) -> "TrainingText":
        """What a part of a model that counts, such as a head with n-grams, may look at before training."""

    @abstractmethod
    def loss(self, model: "nn.Module", batch: "Batch", targets: int, smoothing: float) -> "Tensor":
        """The loss of a batch, which may be a part of an update; `targets` counts those of the whole update."""

    @abstractmethod
    def measure(self, model: Any, final: bool) -> Scores:
        """The scores. On the way, train or test may be left out; at the end everything is measured."""

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """What the record of the run keeps, so that its model can be used as it was trained."""


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
