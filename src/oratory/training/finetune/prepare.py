"""From a published model, a corpus and settings to what a run trains."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from torch import nn

from oratory.errors import InputError, unknown
from oratory.mechanisms.pool.cls import Cls
from oratory.mechanisms.pool.mean import Mean
from oratory.model import ModelConfig, Parameters, count_parameters
from oratory.model.families import what_loads
from oratory.text import Corpus
from oratory.training.config import PREFIX, TrainConfig
from oratory.training.finetune.config import FineTuneConfig, finetune_settings, training_of
from oratory.training.finetune.hf import hf_config, load_hf
from oratory.training.finetune.layers import components, factors, freeze
from oratory.training.finetune.own import load_own, own_config
from oratory.training.finetune.source import Source, blueprint_of, called
from oratory.training.prepare import Prepared

USUAL_DROPOUT = 0.1
"""What BERT and its kin have where config.json says nothing."""

KNOWN_OF_ALL = ("task", "vocabulary", "classes", "layers", "heads", "width", "context", "dropout", "pool")
"""What is known of a model that only transformers knows in full."""


@dataclass(frozen=True)
class FineTuned(Prepared):
    """What a run would fine-tune, before anything is trained."""

    source: Source
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
            model = load_own(self.source, self.config, self.keeps_head, self.seed)
        else:
            theirs = hf_config(self.source.folder, self.labels, self.chosen, self.tokenizer.pad_id)
            model = load_hf(self.source, theirs, self.config, self.chosen, self.keeps_head, self.seed)
        freeze(model, self.chosen, self.config.layers)
        return model

    @property
    def keeps_head(self) -> bool:
        """Whether the head in the model's folder, where it has one, is used."""
        return self.source.has_head(self.labels, self.chosen.pool)

    def factors(self) -> Mapping[str, float]:
        return factors(self.names, self.chosen.layer_decay, self.config.layers)

    def files(self) -> Mapping[str, bytes]:
        return self.source.kept()

    @property
    def libraries(self) -> tuple[str, ...]:
        theirs = ("transformers",) if self.chosen.engine == "hf" else ()
        return (*theirs, "peft") if self.chosen.lora else theirs

    @property
    def remarks(self) -> tuple[str, ...]:
        said = []
        if self.source.labels is not None and not self.keeps_head:
            theirs, ours = ", ".join(self.source.labels), ", ".join(self.labels)
            on = " on the mean token" if self.chosen.pool == "mean" else ""
            said.append(f"The head of {self.source.name} is for {theirs}; for {ours}{on} it begins anew.")
        if self.training.keep == "last" and self.corpus.need_classifier().dev is None:
            said.append(
                f"{self.corpus.name} has no dev: all of train is trained on, and the last weights are kept. "
                f"{PREFIX}keep=best sets a tenth of train aside, and keeps the best weights on that."
            )
        if self.learned < self.parameters.total:
            said.append(f"{self.learned:,} of {self.parameters.total:,} parameters are trained.")
        return tuple(said)

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting by its name; of a model that only transformers knows, what is known of all."""
        exact = blueprint_of(self.source.config) is not None
        config = {name: value for name, value in self.config.to_dict().items() if exact or name in KNOWN_OF_ALL}
        chosen = {field.name: getattr(self.chosen, field.name) for field in fields(self.chosen)}
        about = {"model": self.source.name, "weights": self.source.fingerprint, "tokenizer": self.tokenizer_settings}
        more = {"published_dropout": self.chosen.dropout is None}
        training = {f"{PREFIX}{name}": value for name, value in self.training.to_dict().items()}
        return about | chosen | config | more | training


def read_settings(task: str, settings: Mapping[str, str]) -> tuple[FineTuneConfig, TrainConfig]:
    """What is chosen and how it is trained; refuses what makes no sense, before a model is looked for."""
    if task != "classifier":
        raise InputError(f"A published model can be fine-tuned as a classifier, not as {task}.")
    wrong = next((name for name in settings if name not in finetune_settings()), None)
    if wrong is not None:
        raise unknown("setting of fine-tuning", wrong, finetune_settings())
    chosen = FineTuneConfig.from_text(
        {name: value for name, value in settings.items() if PREFIX not in name and name != "model"}
    )
    training = training_of({name.removeprefix(PREFIX): value for name, value in settings.items() if PREFIX in name})
    training.check_task(task, chosen.context)
    return chosen, training


def prepare_finetune(task: str, corpus: Corpus, settings: Mapping[str, str], seed: int = 0) -> FineTuned:
    """Find the model, complete the settings, and refuse what does not fit together."""
    chosen, training = read_settings(task, settings)
    labels = corpus.need_classifier().label_names
    source = Source.find(called(settings["model"]))
    tokenizer = source.tokenizer()
    if training.word_dropout and tokenizer.unk_id is None:
        raise InputError(f"train.word_dropout needs a token for unknown text, which {source.name} has not.")
    config = _config_of(source, chosen, labels, tokenizer.pad_id)
    if len(tokenizer) > config.vocabulary:
        raise InputError(
            f"The tokenizer of {source.name} does not fit the model: its ids go up to {len(tokenizer) - 1:,}, and the "
            f"embedding has {config.vocabulary:,} rows."
        )
    given = corpus
    if corpus.need_classifier().dev is None and f"{PREFIX}keep" not in settings and training.patience is None:
        training = replace(training, keep="last")  # Rather all of train than a choice on a tenth of it.
    if training.needs_dev:
        corpus = corpus.with_dev()
    name = f"pretrained:{source.name}"
    nothing = Parameters(0, {})
    return _counted(FineTuned(corpus, given, seed, tokenizer, name, config, training, nothing, source, chosen, labels))


def _counted(draft: FineTuned) -> FineTuned:
    """With what only the model itself can say."""
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


def _config_of(source: Source, chosen: FineTuneConfig, labels: tuple[str, ...], pad_id: int) -> ModelConfig:
    """Our configuration of the model, exact where our own modules can be it."""
    blueprint = blueprint_of(source.config)
    rate = source.config.get("hidden_dropout_prob", source.config.get("dropout", USUAL_DROPOUT))
    rate = float(rate) if isinstance(rate, float | int) else USUAL_DROPOUT
    if blueprint is not None:
        positions = blueprint.config.context
        config = own_config(blueprint, chosen, len(labels), rate)
    elif chosen.engine == "own":
        raise InputError(
            f"engine=own has no way to be the encoder in {source.folder} (model type "
            f"{source.config.get('model_type')!r}); engine=hf may. {what_loads()}"
        )
    else:
        theirs = hf_config(source.folder, labels, chosen, pad_id)
        positions = getattr(theirs, "max_position_embeddings", None) or chosen.context
        config = ModelConfig(
            task="classifier",
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
        raise InputError(f"context={chosen.context} is too long: the positions of {source.name} end at {positions}.")
    return config
