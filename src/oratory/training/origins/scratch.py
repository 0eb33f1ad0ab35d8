"""A model from nothing: its initial values follow from the seed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from oratory.errors import unknown
from oratory.settings import choose, convert
from oratory.training.config import EVAL_TRAIN, prefixed, split_settings, training_from
from oratory.training.origins.origin import (
    FROM_CORPUS,
    MODEL,
    Completed,
    Origin,
    StoredRun,
    architecture,
    check_word_dropout,
    with_tensors,
)
from oratory.training.prepared import Prepared
from oratory.training.setting import Setting, settings_in
from oratory.training.tasks.task import Task

if TYPE_CHECKING:
    from torch import Tensor, nn

    from oratory.model import ModelConfig, Transformer
    from oratory.model.contract import ModelContract
    from oratory.text import Corpus

USUAL_TOKENIZER = "word"


@dataclass(frozen=True)
class CompletedScratch(Completed):
    """The settings of a model from nothing; its vocabulary and classes are still to come."""

    config: "ModelConfig"
    tokenizer: str

    def contract(self) -> "ModelContract":
        from oratory.model.checked import known_contract

        return known_contract(self.config)


@dataclass(frozen=True)
class PreparedScratch(Prepared):
    """A model from nothing, ready to be built."""

    def build(self) -> "Transformer":
        from oratory.model import Transformer

        return Transformer(self.config, self.seed)

    @property
    def settings(self) -> dict[str, Any]:
        training = self.task.recorded_training(self.training)
        return {"tokenizer": self.tokenizer_settings, **self.task.recorded(self.config), **training}


class Scratch(Origin):
    """A new model, whose initial values follow from the seed."""

    name = "scratch"
    noun = "models from nothing"
    in_comparisons = {EVAL_TRAIN: "off"}  # noqa: RUF012

    def claims(self, settings: Mapping[str, Any]) -> bool:
        return MODEL not in settings

    def settings(self) -> list[Setting]:
        from oratory.mechanisms import REGISTRY
        from oratory.mechanisms.kinds import KINDS
        from oratory.model import ModelConfig
        from oratory.model.config import INITS
        from oratory.tokens.corpus import SETTINGS as TOKENIZERS

        tokenizer = Setting("tokenizer", str, "How text becomes tokens.", USUAL_TOKENIZER, TOKENIZERS)
        kinds = {kind: REGISTRY[kind] for kind in KINDS}
        model = settings_in(ModelConfig, choices=kinds, words={"init": INITS}, without=FROM_CORPUS)
        return [tokenizer, *model, *self.training_settings()]

    def known(self) -> dict[str, Any]:
        return architecture() | {setting.name: setting.type for setting in self.training_settings()}

    def check_words(self, task: Task, settings: Mapping[str, str]) -> None:
        from oratory.mechanisms import REGISTRY
        from oratory.mechanisms.kinds import KINDS
        from oratory.model.config import INITS, check_sizes, usual_sizes
        from oratory.tokens.corpus import SETTINGS as TOKENIZERS

        known = self.known()
        self.check_names(task, settings)
        training, others = split_settings(settings)
        training_from(task.train_config(), task.training, training)
        sizes = usual_sizes()
        sizes |= {name: value for name, value in task.model.items() if name in sizes}
        for name, text in others.items():
            if name in KINDS:
                REGISTRY.check_text(name, text)
            elif name == "tokenizer":
                choose(text, TOKENIZERS, name)
            elif name == "init" and text not in INITS:
                raise unknown(name, text, INITS)
            else:
                sizes[name] = convert(text, known[name], name)
        check_sizes(sizes)

    def base(self, task: Task) -> dict[str, Any]:
        return {**task.model, **prefixed(task.training)}

    def complete(self, task: Task, settings: Mapping[str, str]) -> CompletedScratch:
        self.check_names(task, settings)
        training_given, changes = split_settings(settings)
        chosen = changes.pop("tokenizer", USUAL_TOKENIZER)
        training = training_from(task.train_config(), task.training, training_given)
        config = task.config(vocabulary=2, classes=2, **changes)
        training.check_context(config.context)
        tokenizer = task.tokenizer(chosen, config)
        known = {"tokenizer": tokenizer, **task.recorded(config), **task.recorded_training(training)}
        return CompletedScratch(task, training, known, config, tokenizer)

    def prepare(self, task: Task, corpus: "Corpus", settings: Mapping[str, str], seed: int = 0) -> Prepared:
        from oratory.model import parameters_of
        from oratory.tokens import train_tokenizer

        task.need(corpus)
        done = self.complete(task, settings)
        given = corpus
        if done.training.needs_dev or done.config.head.needs_dev:
            corpus = corpus.with_dev()
        tokenizer = train_tokenizer(corpus, done.tokenizer, spelling=task.spells)
        task.need_tokens(tokenizer)
        check_word_dropout(done.training, tokenizer, f"tokenizer={done.tokenizer}")
        config = replace(done.config, vocabulary=len(tokenizer), classes=len(task.labels(corpus)))
        parameters = parameters_of(config, seed)
        return PreparedScratch(
            task=task,
            corpus=corpus,
            fingerprint=given.fingerprint,
            source=given.source,
            seed=seed,
            tokenizer=tokenizer,
            tokenizer_settings=done.tokenizer,
            config=config,
            training=done.training,
            parameters=parameters,
        )

    def compared(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return dict(settings)

    def initial(self, run: StoredRun) -> "Transformer":
        from oratory.model import Transformer

        return Transformer(run.config, run.seed).eval()

    def trained(self, run: StoredRun, tensors: "Mapping[str, Tensor]") -> "nn.Module":
        return with_tensors(run, tensors)

    def command(self, task: Task, given: Mapping[str, str]) -> list[str]:
        return ["oratory", "train", task.name, *(f"{name}={value}" for name, value in given.items())]
