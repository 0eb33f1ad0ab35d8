"""From a published model, a corpus and settings to what a run trains."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from torch import nn

from oratory.errors import InputError
from oratory.mechanisms.pool.cls import Cls
from oratory.mechanisms.pool.mean import Mean
from oratory.model import ModelConfig, Parameters, count_parameters
from oratory.model.families import what_loads
from oratory.text import Corpus
from oratory.training.config import PREFIX
from oratory.training.layers import components, factors, freeze
from oratory.training.origins.origin import check_word_dropout
from oratory.training.origins.published.completed import CompletedPublished
from oratory.training.origins.published.config import FineTuneConfig, called
from oratory.training.origins.published.hf import hf_config, load_hf
from oratory.training.origins.published.model import PublishedModel, blueprint_of
from oratory.training.origins.published.own import load_own, own_config
from oratory.training.prepared import Prepared

USUAL_DROPOUT = 0.1
"""What BERT and its kin have where config.json says nothing."""

KNOWN_OF_ALL = ("task", "vocabulary", "classes", "layers", "heads", "width", "context", "dropout", "pool")
"""Settings that are known of a model which only transformers can compute."""


@dataclass(frozen=True)
class FineTuned(Prepared):
    """A published model with the head of a classifier, ready to be built."""

    published: PublishedModel
    chosen: FineTuneConfig
    labels: tuple[str, ...]
    names: tuple[str, ...] = ()
    """Of all parameters."""
    learned: int = 0
    """Parameters that are trained."""

    test_last: ClassVar[bool] = True

    def build(self) -> nn.Module:
        """The published model with the head of a classifier, and what is not trained marked."""
        model: nn.Module
        if self.chosen.engine == "own":
            model = load_own(self.published, self.config, self.keeps_head, self.seed)
        else:
            theirs = hf_config(self.published.folder, self.labels, self.chosen, self.tokenizer.pad_id)
            model = load_hf(self.published, theirs, self.config, self.chosen, self.keeps_head, self.seed)
        freeze(model, self.chosen, self.config.layers, low_rank=bool(self.chosen.lora))
        return model

    @property
    def keeps_head(self) -> bool:
        """Whether the head in the model's folder, where it has one, is used."""
        return self.published.has_head(self.labels, self.chosen.pool)

    def factors(self) -> Mapping[str, float]:
        return factors(self.names, self.chosen.layer_decay, self.config.layers)

    def files(self) -> Mapping[str, bytes]:
        return self.published.kept()

    @property
    def libraries(self) -> tuple[str, ...]:
        theirs = ("transformers",) if self.chosen.engine == "hf" else ()
        return (*theirs, "peft") if self.chosen.lora else theirs

    @property
    def remarks(self) -> tuple[str, ...]:
        said = [*super().remarks]
        if self.published.labels is not None and not self.keeps_head:
            theirs, ours = ", ".join(self.published.labels), ", ".join(self.labels)
            on = " on the mean token" if self.chosen.pool == "mean" else ""
            said.append(f"The head of {self.published.name} is for {theirs}; for {ours}{on} it begins anew.")
        if self.training.keep == "last" and not self.task.has(self.corpus, "dev"):
            said.append(
                f"{self.corpus.name} has no dev: all of train is trained on, and the last weights are kept. "
                f"{PREFIX}keep=best sets a tenth of train aside, and keeps the best weights on that."
            )
        if self.learned < self.parameters.total:
            said.append(f"{self.learned:,} of {self.parameters.total:,} parameters are trained.")
        return tuple(said)

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting by its name; of a model that only transformers can compute, those that all models have."""
        exact = blueprint_of(self.published.config) is not None
        config = {k: v for k, v in self.task.recorded(self.config).items() if exact or k in KNOWN_OF_ALL}
        chosen = {field.name: getattr(self.chosen, field.name) for field in fields(self.chosen)}
        about = {
            "model": self.published.name,
            "weights": self.published.fingerprint,
            "tokenizer": self.tokenizer_settings,
        }
        more = {"published_dropout": self.chosen.dropout is None}
        return about | chosen | config | more | self.task.recorded_training(self.training)


def prepare(done: CompletedPublished, corpus: Corpus, settings: Mapping[str, str], seed: int = 0) -> FineTuned:
    """Find the model, and refuse what does not fit together."""
    task, chosen, training = done.task, done.chosen, done.training
    task.need(corpus)
    labels = task.labels(corpus)
    published = PublishedModel.find(called(settings["model"]))
    tokenizer = published.tokenizer()
    check_word_dropout(training, tokenizer, published.name)
    config = _config_of(published, chosen, labels, tokenizer.pad_id)
    if len(tokenizer) > config.vocabulary:
        raise InputError(
            f"The tokenizer of {published.name} does not fit the model: its ids go up to {len(tokenizer) - 1:,}, and "
            f"the embedding has {config.vocabulary:,} rows."
        )
    given = corpus
    if not task.has(corpus, "dev") and f"{PREFIX}keep" not in settings and training.patience is None:
        training = replace(training, keep="last")  # Rather all of train than a choice on a tenth of it.
    if training.needs_dev:
        corpus = corpus.with_dev()
    return _counted(
        FineTuned(
            task=task,
            corpus=corpus,
            fingerprint=given.fingerprint,
            source=given.source,
            seed=seed,
            tokenizer=tokenizer,
            tokenizer_settings=f"pretrained:{published.name}",
            config=config,
            training=training,
            parameters=Parameters(0, {}),
            published=published,
            chosen=chosen,
            labels=labels,
        )
    )


def _counted(draft: FineTuned) -> FineTuned:
    """The same with the number of parameters, which only the built model can tell."""
    made = draft.build()
    if draft.chosen.engine == "own":
        parameters = count_parameters(made)
    else:
        found = components(made, draft.config.layers)
        parameters = Parameters(sum(found.values()), found)
    learned = sum(parameter.numel() for parameter in made.parameters() if parameter.requires_grad)
    return replace(
        draft, parameters=parameters, names=tuple(name for name, _ in made.named_parameters()), learned=learned
    )


def _config_of(published: PublishedModel, chosen: FineTuneConfig, labels: tuple[str, ...], pad_id: int) -> ModelConfig:
    """The configuration of the model in our terms, exact if our own modules can compute it."""
    blueprint = blueprint_of(published.config)
    rate = published.config.get("hidden_dropout_prob", published.config.get("dropout", USUAL_DROPOUT))
    rate = float(rate) if isinstance(rate, float | int) else USUAL_DROPOUT
    if blueprint is not None:
        positions = blueprint.config.context
        config = own_config(blueprint, chosen, len(labels), rate)
    elif chosen.engine == "own":
        raise InputError(
            f"engine=own cannot compute the encoder in {published.folder} (model type "
            f"{published.config.get('model_type')!r}); engine=hf may. {what_loads()}"
        )
    else:
        theirs = hf_config(published.folder, labels, chosen, pad_id)
        positions = getattr(theirs, "max_position_embeddings", None) or chosen.context
        config = ModelConfig(
            output="classes",
            vocabulary=theirs.vocab_size,
            classes=len(labels),
            layers=theirs.num_hidden_layers,
            heads=theirs.num_attention_heads,
            width=theirs.hidden_size,
            context=chosen.context,
            dropout=rate if chosen.dropout is None else chosen.dropout,
            pool=Mean() if chosen.pool == "mean" else Cls(),
        )
    if chosen.context > positions:
        raise InputError(f"context={chosen.context} is too long: the positions of {published.name} end at {positions}.")
    return config
