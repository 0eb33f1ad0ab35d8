"""What every origin has: where the weights of a model come from before training."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from oratory.errors import InputError, unknown
from oratory.mechanisms.recorded import WithPlugins, check_used
from oratory.training.config import PREFIX, TrainConfig, training_settings
from oratory.training.setting import Setting, types_in
from oratory.training.tasks import Task, tasks

if TYPE_CHECKING:
    from torch import Tensor, nn

    from oratory.model import ModelConfig
    from oratory.model.contract import ModelContract
    from oratory.text import Corpus
    from oratory.tokens import Tokenizer
    from oratory.training.prepared import Prepared

MODEL = "model"
"""The setting that says what a model starts from; one from nothing has none."""
FROM_CORPUS = ("output", "causal", "vocabulary", "classes")
"""Settings of a model that the task and the corpus decide."""
OWN_RUN = "run:"
"""How that begins for a run of one's own: its folder follows, and in records its id. All else is published."""


@dataclass(frozen=True)
class Completed:
    """Settings that make sense together, before a tokenizer is trained or a model is loaded."""

    task: Task
    training: TrainConfig
    settings: Mapping[str, Any]
    """Every setting that is known by now, as the record of a run will have it."""

    def contract(self) -> "ModelContract | None":
        """What the contract finds of the model's mechanisms; None for a model that is not made of them."""
        return None


class StoredRun(Protocol):
    """What an origin needs to know of a run to load its model."""

    @property
    def folder(self) -> Path: ...
    @property
    def id(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def settings(self) -> dict[str, Any]: ...
    @property
    def given(self) -> Mapping[str, str]: ...
    @property
    def task(self) -> Task: ...
    @property
    def labels(self) -> tuple[str, ...]: ...
    @property
    def config(self) -> "ModelConfig": ...
    @property
    def tokenizer(self) -> "Tokenizer": ...
    def checked(self, name: str) -> Path: ...


class Origin(ABC):
    """Where a model comes from: how settings are completed, how weights come in, which command makes it again."""

    name: ClassVar[str]
    noun: ClassVar[str]
    """What models of this origin are called in a sentence."""
    setting: ClassVar[str] = "setting"
    """What a setting of its models is called in a sentence."""
    brings: ClassVar[str] = ""
    """What brings the settings that only a model from nothing may choose; empty for such models themselves."""
    takes_plugins: ClassVar[bool] = True
    """Whether a user's own mechanisms can be part of its models."""
    can_be_continued: ClassVar[bool] = True
    """Whether its models are made of our own modules alone, so that another run can start from one."""
    frames_texts: ClassVar[bool] = False
    """Whether the tokenizer puts special tokens of its own around every text."""

    in_comparisons: ClassVar[Mapping[str, str]] = {}
    """Settings of its runs in a comparison, unless they are given: what no verdict needs is left out."""

    @abstractmethod
    def claims(self, settings: Mapping[str, Any]) -> bool:
        """Whether settings, given or recorded, are those of this origin."""

    @abstractmethod
    def settings(self) -> list[Setting]:
        """Every setting that a user may give."""

    def training_settings(self) -> list[Setting]:
        """The settings of training of all tasks that it serves."""
        return training_settings(task.train_config() for task in self.served())

    def known(self) -> dict[str, Any]:
        """The names of its settings with their types."""
        return {setting.name: setting.type for setting in self.settings()}

    def check_names(self, task: Task, settings: Iterable[str]) -> None:
        """Refuse a setting of training that is for other tasks, one that cannot be chosen, and one that is unknown."""
        known = self.known()
        for name in settings:
            users = [f"{other.noun}s" for other in tasks().values() if name.startswith(PREFIX) and other.uses(name)]
            if users and not task.uses(name):
                raise InputError(f"{name} is for {' and '.join(users)}; the task is {task}.")
            if name not in known and self.brings and name in architecture():
                raise InputError(f"{name} is that of {self.brings} and cannot be chosen: leave it out.")
            if name not in known:
                raise unknown(self.setting, name, known)

    def check_words(self, task: Task, settings: Mapping[str, str]) -> None:  # noqa: B027 - `complete` refuses all that is wrong
        """Refuse names and values that cannot be right, as far as that is known without loading torch."""

    def served(self) -> list[Task]:
        """The tasks that its models can be trained for, the usual one first."""
        return [task for task in tasks().values() if self.serves(task)]

    def serves(self, task: Task) -> bool:
        """Whether its models can be trained for a task."""
        return True

    @abstractmethod
    def base(self, task: Task) -> dict[str, Any]:
        """The base settings of a task, where they differ from the defaults."""

    def given(self, settings: Mapping[str, str]) -> dict[str, str]:
        """Settings as a record keeps them, so that they mean the same in any folder."""
        return dict(settings)

    @abstractmethod
    def complete(self, task: Task, settings: Mapping[str, str]) -> Completed:
        """Complete settings and refuse what makes no sense. Nothing is trained or loaded."""

    @abstractmethod
    def prepare(self, task: Task, corpus: "Corpus", settings: Mapping[str, str], seed: int) -> "Prepared":
        """Everything that a run trains."""

    @abstractmethod
    def compared(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Of a record's settings, those that `Completed.settings` has for the same run."""

    @abstractmethod
    def initial(self, run: StoredRun) -> "nn.Module":
        """The model of a run before training."""

    @abstractmethod
    def trained(self, run: StoredRun, tensors: "Mapping[str, Tensor]") -> "nn.Module":
        """The model of a run with the values of its file."""

    def published_tensors(self, run: StoredRun, tensors: "Mapping[str, Tensor]") -> "dict[str, Tensor]":
        """The values of a trained model by the names that transformers has for them."""
        raise InputError(
            f"The run {run.id} was trained from scratch, and transformers has no class for it; --to onnx writes a file "
            "that other programs run."
        )

    @abstractmethod
    def command(self, task: Task, given: Mapping[str, str]) -> list[str]:
        """The words of the command that trains such a run, without its data and seed."""

    def option(self, settings: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        """The words that name this origin in a command over many runs, and the settings that remain."""
        return [], dict(settings)

    def ready(self, settings: Mapping[str, str]) -> None:  # noqa: B027 - nothing to refuse, unless an origin has something
        """Refuse settings whose model, or a library that it needs, is not at hand."""


class RecordedModel(WithPlugins, Protocol):
    """What the record of a run says of its model."""

    @property
    def settings(self) -> Mapping[str, Any]: ...


def recorded_config(record: RecordedModel, task: Task, folder: Path) -> "ModelConfig":
    """The configuration of a run's model. Mechanisms of a plugin must be loaded before, and be those of then."""
    from oratory.model.config import plugins_of

    try:
        config = task.config_of(record.settings)
    except InputError as error:
        names = " ".join(plugin.name for plugin in record.plugins)
        hint = f" It was trained with --plugin {names}." if names else ""
        raise InputError(f"The run {record.id}: {error}{hint}") from None
    check_used(record, folder, plugins_of(config))
    return config


def with_tensors(run: StoredRun, tensors: "Mapping[str, Tensor]") -> "nn.Module":
    """The model of a run that is made of our own modules, with the values of its file."""
    from oratory.model import Transformer

    model = Transformer(run.config, run.seed).eval()
    model.load_state_dict(tensors)
    return model


def check_word_dropout(training: TrainConfig, tokenizer: "Tokenizer", called: str) -> None:
    """Refuse to drop words where no token stands for unknown text."""
    if training.word_dropout and tokenizer.unk_id is None:
        raise InputError(f"train.word_dropout needs a token for unknown text, and {called} has none.")


def architecture() -> dict[str, Any]:
    """The settings of a model's architecture and its tokens, with their types, which a model from nothing chooses."""
    from oratory.model.config import ModelConfig

    return {"tokenizer": str, **types_in(ModelConfig, FROM_CORPUS)}
