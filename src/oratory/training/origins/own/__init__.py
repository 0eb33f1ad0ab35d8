"""A run of one's own, whose weights another run starts from."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError
from oratory.training.config import prefixed, split_settings, training_from
from oratory.training.layers import FREEZE_WORDS, LayerConfig
from oratory.training.origins.origin import MODEL, OWN_RUN, Origin, StoredRun, with_tensors
from oratory.training.setting import Setting, settings_in, types_in
from oratory.training.tasks.task import Task

if TYPE_CHECKING:
    from torch import Tensor, nn

    from oratory.text import Corpus
    from oratory.training.origins.own.prepared import CompletedOwn, PreparedOwn

DROPOUTS = ("dropout", "embedding_dropout", "attention_dropout", "residual_dropout")
MECHANISMS = ("pool", "head")
OF_MODEL = ("context", *DROPOUTS, *MECHANISMS, "head_hidden")
"""Settings of a model that may be others than those of the earlier run."""
AS_BEFORE = ("context", *DROPOUTS)
"""Of these, those that are the same as there unless given."""
WHERE = ("the id of a run", "the beginning of one", "last")


class Own(Origin):
    """A run of one's own that is trained further, or for another task."""

    name = "own"
    noun = "models from a run of one's own"
    setting = "setting of a model that starts from a run"
    brings = "the run that a model starts from"

    def claims(self, settings: Mapping[str, Any]) -> bool:
        return str(settings.get(MODEL, "")).startswith(OWN_RUN)

    def settings(self) -> list[Setting]:
        from oratory.mechanisms import REGISTRY
        from oratory.model import ModelConfig

        model = Setting(MODEL, str, "The run of one's own that a model starts from.", "none", words=WHERE)
        found = settings_in(ModelConfig, choices={kind: REGISTRY[kind] for kind in MECHANISMS})
        of_model = [setting for setting in found if setting.name in OF_MODEL]
        layers = settings_in(LayerConfig, words={"freeze": FREEZE_WORDS})
        return [model, *of_model, *layers, *self.training_settings()]

    def known(self) -> dict[str, Any]:
        from oratory.model.config import ModelConfig

        model = {name: kind for name, kind in types_in(ModelConfig).items() if name in OF_MODEL}
        training = {setting.name: setting.type for setting in self.training_settings()}
        return {MODEL: str, **model, **types_in(LayerConfig), **training}

    def base(self, task: Task) -> dict[str, Any]:
        return {**dict.fromkeys(AS_BEFORE, "that of the run"), **prefixed(task.training)}

    def check_words(self, task: Task, settings: Mapping[str, str]) -> None:
        from oratory.mechanisms import REGISTRY

        self.check_names(task, settings)
        training_from(task.train_config(), task.training, split_settings(settings)[0])
        for kind in MECHANISMS:
            if kind in settings:
                REGISTRY.check_text(kind, settings[kind])

    def given(self, settings: Mapping[str, str]) -> dict[str, str]:
        folder = Path(settings[MODEL].removeprefix(OWN_RUN)).resolve()
        return {**settings, MODEL: f"{OWN_RUN}{folder}"}

    def complete(self, task: Task, settings: Mapping[str, str]) -> "CompletedOwn":
        from oratory.training.origins.own.prepared import complete

        self.check_names(task, settings)
        return complete(task, settings)

    def prepare(self, task: Task, corpus: "Corpus", settings: Mapping[str, str], seed: int = 0) -> "PreparedOwn":
        from oratory.training.origins.own.prepared import prepare

        return prepare(self.complete(task, settings), corpus, seed)

    def compared(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in settings.items() if name not in ("weights", "tokenizer")}

    def initial(self, run: StoredRun) -> "nn.Module":
        from oratory.training.origins.own.earlier import EarlierRun
        from oratory.training.origins.own.transfer import keeps_head, started

        earlier = EarlierRun.find(run.given[MODEL])
        if earlier.weights != run.settings["weights"]:
            raise InputError(f"{earlier.folder} no longer holds the weights that the run {run.id} started from.")
        head = keeps_head(earlier, run.task, run.config, run.labels)
        return started(earlier, run.config, head, run.seed).eval()

    def trained(self, run: StoredRun, tensors: "Mapping[str, Tensor]") -> "nn.Module":
        return with_tensors(run, tensors)

    def command(self, task: Task, given: Mapping[str, str]) -> list[str]:
        settings = dict(given)
        words = ["oratory", "finetune", settings.pop(MODEL)]
        words += [] if task is self.served()[0] else ["--task", task.name]
        return [*words, *(f"{name}={value}" for name, value in settings.items())]

    def option(self, settings: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        others = dict(settings)
        return ["--model", others.pop(MODEL)], others

    def ready(self, settings: Mapping[str, str]) -> None:
        from oratory.training.origins.own.earlier import EarlierRun

        EarlierRun.find(settings[MODEL])
