"""From a corpus and settings to a tokenizer and a configuration."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from torch import nn

from oratory.errors import InputError, unknown
from oratory.mechanisms.pool.cls import Cls
from oratory.model import ModelConfig, Parameters, Transformer, base, count_parameters
from oratory.tables import Table, Tabled
from oratory.text import Corpus
from oratory.tokens import CLS, Tokenizer, train_tokenizer, with_special
from oratory.training.config import PREFIX, TrainConfig, base_training

TASKS = ("classifier", "lm")
FROM_CORPUS = ("task", "vocabulary", "classes")
"""What the corpus and the command decide, and no setting."""


@dataclass(frozen=True)
class Prepared(Tabled):
    """What a run would train, before anything is trained."""

    corpus: Corpus
    """What is trained on: dev is carved out where something is chosen on it."""
    given: Corpus
    """The corpus as it was given, which the record of a run names."""
    seed: int
    tokenizer: Tokenizer
    tokenizer_settings: str
    config: ModelConfig
    training: TrainConfig
    parameters: Parameters

    test_last: ClassVar[bool] = False
    """Whether test is measured once, when all is done, and not on the way."""

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the corpus as it was given."""
        return self.given.fingerprint

    def build(self) -> nn.Module:
        """The model before training."""
        return Transformer(self.config, self.seed)

    def factors(self) -> Mapping[str, float]:
        """What the learning rate of a parameter is multiplied by, where that is not one."""
        return {}

    def files(self) -> Mapping[str, bytes]:
        """What the folder of the run keeps besides."""
        return {}

    @property
    def libraries(self) -> tuple[str, ...]:
        """What has a part in the result besides what every run uses."""
        return ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to say before training."""
        return ()

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting by its name, whether it was given or not."""
        training = {f"{PREFIX}{name}": value for name, value in self.training.to_dict().items()}
        return {"tokenizer": self.tokenizer_settings, **self.config.to_dict(), **training}

    def to_dict(self) -> dict[str, Any]:
        config = self.settings
        corpus = {"name": self.corpus.name, "fingerprint": self.fingerprint}
        return {"corpus": corpus, "seed": self.seed, "config": config, "parameters": self.parameters.to_dict()}

    def tables(self) -> list[Table]:
        rows = tuple((name, str(value)) for name, value in self.to_dict()["config"].items())
        return [Table("Configuration", ("setting", "value"), rows, words=2), *self.parameters.tables()]


def settings_of() -> list[str]:
    """The names of the settings."""
    names = [field.name for field in fields(ModelConfig) if field.name not in FROM_CORPUS]
    return ["tokenizer", *names, *(f"{PREFIX}{field.name}" for field in fields(TrainConfig))]


def prepare(task: str, corpus: Corpus, settings: Mapping[str, str], seed: int = 0) -> Prepared:
    """Train the tokenizer, complete the settings, and count the parameters of the model they make.

    With the setting `model`, nothing is trained from scratch: that one is fine-tuned.
    """
    if task not in TASKS:
        raise unknown("task", task, TASKS)
    if "model" in settings:
        from oratory.training.finetune import prepare_finetune

        return prepare_finetune(task, corpus, settings, seed)
    wrong = next((name for name in settings if name not in settings_of()), None)
    if wrong is not None:
        raise unknown("setting", wrong, settings_of())
    classes = len(corpus.need_classifier().label_names) if task == "classifier" else 0
    if task == "lm":
        corpus.need_lm()
    changes = dict(settings)
    chosen = changes.pop("tokenizer", "word")
    training = base_training(
        task, **{name.removeprefix(PREFIX): changes.pop(name) for name in settings if PREFIX in name}
    )
    # Settings that make no sense are refused before a tokenizer is trained; its size matters to none of them.
    config = base(task, vocabulary=2, classes=classes, **changes)
    training.check_task(task, config.context)
    given = corpus
    if training.needs_dev:
        corpus = corpus.with_dev()
    if task == "classifier" and isinstance(config.pool, Cls):
        chosen = with_special(chosen, CLS)
    tokenizer = train_tokenizer(corpus, chosen)
    if training.word_dropout and tokenizer.unk_id is None:
        raise InputError(f"train.word_dropout needs a token for unknown text, which tokenizer={chosen} has not.")
    config = replace(config, vocabulary=len(tokenizer))
    parameters = count_parameters(Transformer(config, seed))
    return Prepared(corpus, given, seed, tokenizer, chosen, config, training, parameters)
