"""From an earlier run, a corpus and settings to what a run trains."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from oratory.model import ModelConfig, Parameters, Transformer, count_parameters
from oratory.model.checked import known_contract
from oratory.model.contract import ModelContract
from oratory.text import Corpus
from oratory.training.config import TrainConfig, split_settings, training_from
from oratory.training.layers import LayerConfig, factors, freeze
from oratory.training.origins.origin import MODEL, OWN_RUN, Completed, check_word_dropout
from oratory.training.origins.own.earlier import EarlierRun
from oratory.training.origins.own.provenance import Ancestor, audited
from oratory.training.origins.own.transfer import config_from, keeps_head, started
from oratory.training.prepared import Prepared
from oratory.training.tasks import Task

OF_LAYERS = ("freeze", "layer_decay")


@dataclass(frozen=True)
class CompletedOwn(Completed):
    """The settings of a model that starts from an earlier run; its classes are still to come."""

    earlier: EarlierRun
    config: ModelConfig
    chosen: LayerConfig

    def contract(self) -> ModelContract:
        return known_contract(self.config)


@dataclass(frozen=True)
class PreparedOwn(Prepared):
    """A model that starts from an earlier run, ready to be built."""

    earlier: EarlierRun
    chosen: LayerConfig
    lineage: tuple[Ancestor, ...]
    names: tuple[str, ...] = ()
    """Of all parameters."""
    learned: int = 0
    """Parameters that are trained."""

    def build(self) -> Transformer:
        """The model with the weights of the earlier run, and what is not trained marked."""
        model = started(self.earlier, self.config, self.keeps_head, self.seed)
        freeze(model, self.chosen, self.config.layers)
        return model

    @property
    def keeps_head(self) -> bool:
        return keeps_head(self.earlier, self.task, self.config, self.task.labels(self.corpus))

    def factors(self) -> Mapping[str, float]:
        return factors(self.names, self.chosen.layer_decay, self.config.layers)

    @property
    def provenance(self) -> tuple[Ancestor, ...]:
        return self.lineage

    @property
    def remarks(self) -> tuple[str, ...]:
        said = [*super().remarks, *(ancestor.sentence for ancestor in self.lineage)]
        if not self.keeps_head:
            said.append("The head begins anew, from the seed.")
        if self.learned < self.parameters.total:
            said.append(f"{self.learned:,} of {self.parameters.total:,} parameters are trained.")
        return tuple(said)

    @property
    def settings(self) -> dict[str, Any]:
        about = {"weights": self.earlier.weights, "tokenizer": self.tokenizer_settings}
        return about | recorded(self.task, self.earlier, self.chosen, self.config, self.training)


def recorded(
    task: Task, earlier: EarlierRun, chosen: LayerConfig, config: ModelConfig, training: TrainConfig
) -> dict[str, Any]:
    """Settings as a record has them: the earlier run by its id, wherever it is."""
    # Whether a token sees those after it follows from the task, unless the weights were trained for another one.
    same = config.causal == task.model.get("causal", False)
    causal = {} if same else {"causal": config.causal}
    model = {MODEL: f"{OWN_RUN}{earlier.id}", **asdict(chosen), **causal}
    return {**model, **task.recorded(config), **task.recorded_training(training)}


def complete(task: Task, settings: Mapping[str, str]) -> CompletedOwn:
    """Complete settings and refuse what makes no sense. Of the earlier run, only the record is read."""
    training_given, changes = split_settings(settings)
    earlier = EarlierRun.find(changes.pop(MODEL))
    chosen = LayerConfig.from_text({name: changes.pop(name) for name in OF_LAYERS if name in changes})
    training = training_from(task.train_config(), task.training, training_given)
    config = config_from(earlier, task, changes)
    training.check_context(config.context)
    known = recorded(task, earlier, chosen, config, training)
    return CompletedOwn(task, training, known, earlier, config, chosen)


def prepare(done: CompletedOwn, corpus: Corpus, seed: int) -> PreparedOwn:
    """Look at the corpora, and refuse what does not fit together."""
    task, earlier, given = done.task, done.earlier, corpus
    task.need(corpus)
    if done.training.needs_dev or done.config.head.needs_dev:
        corpus = corpus.with_dev()
    task.need_tokens(earlier.tokenizer, done.config)
    check_word_dropout(done.training, earlier.tokenizer, f"the tokenizer of {earlier.id}")
    draft = PreparedOwn(
        task=task,
        corpus=corpus,
        fingerprint=given.fingerprint,
        source=given.source,
        seed=seed,
        tokenizer=earlier.tokenizer,
        tokenizer_settings=f"{OWN_RUN}{earlier.id}",
        config=replace(done.config, classes=len(task.labels(corpus))),
        training=done.training,
        parameters=Parameters(0, {}),
        earlier=earlier,
        chosen=done.chosen,
        lineage=audited(earlier.lineage, task, given),
    )
    made = draft.build()
    learned = sum(parameter.numel() for parameter in made.parameters() if parameter.requires_grad)
    names = tuple(name for name, _ in made.named_parameters())
    return replace(draft, parameters=count_parameters(made), names=names, learned=learned)
