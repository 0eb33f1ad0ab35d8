"""A published encoder, fine-tuned through transformers or through our own modules."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oratory.errors import InputError
from oratory.training.config import prefixed
from oratory.training.origins.origin import MODEL, OWN_RUN, Origin, StoredRun
from oratory.training.setting import Setting, settings_in
from oratory.training.tasks.task import Task

if TYPE_CHECKING:
    from torch import Tensor, nn

    from oratory.text import Corpus
    from oratory.training.origins.published.completed import CompletedPublished
    from oratory.training.origins.published.prepared import FineTuned


class Published(Origin):
    """A published encoder that is fine-tuned: minilm, a folder, or a name on the hub."""

    name = "published"
    noun = "published models"
    setting = "setting of fine-tuning"
    brings = "the published model"
    takes_plugins = False
    can_be_continued = False
    frames_texts = True

    def claims(self, settings: Mapping[str, Any]) -> bool:
        return MODEL in settings and not str(settings[MODEL]).startswith(OWN_RUN)

    def settings(self) -> list[Setting]:
        from oratory.training.origins.published.config import DEFAULT, VALUES, FineTuneConfig

        names = (DEFAULT, "a folder", "a name on the hub")
        model = Setting(MODEL, str, "The published model that is fine-tuned.", DEFAULT, words=names)
        return [model, *settings_in(FineTuneConfig, words=VALUES), *self.training_settings()]

    def serves(self, task: Task) -> bool:
        return bool(task.model["output"] == "classes")

    def base(self, task: Task) -> dict[str, Any]:
        from oratory.training.origins.published.config import TRAINING

        return prefixed(TRAINING)

    def check_words(self, task: Task, settings: Mapping[str, str]) -> None:
        self.complete(task, settings)

    def given(self, settings: Mapping[str, str]) -> dict[str, str]:
        from oratory.training.origins.published.config import called

        return {**settings, MODEL: called(settings[MODEL])}

    def complete(self, task: Task, settings: Mapping[str, str]) -> "CompletedPublished":
        from oratory.training.origins.published.completed import complete

        if not self.serves(task):
            served = " or ".join(f"a {other.noun}" for other in self.served())
            raise InputError(f"A published model can be fine-tuned as {served}, not as {task.name}.")
        self.check_names(task, settings)
        return complete(task, settings)

    def prepare(self, task: Task, corpus: "Corpus", settings: Mapping[str, str], seed: int = 0) -> "FineTuned":
        from oratory.training.origins.published.prepared import prepare

        return prepare(self.complete(task, settings), corpus, settings, seed)

    def compared(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        chosen = {name: settings.get(name) for name in self.known()}
        # A record has the rate that the model came with; here it counts that none was given.
        return chosen | ({"dropout": None} if settings.get("published_dropout") else {})

    def initial(self, run: StoredRun) -> "nn.Module":
        from oratory.training.origins.published.use import untrained

        return untrained(run)

    def trained(self, run: StoredRun, tensors: "Mapping[str, Tensor]") -> "nn.Module":
        from oratory.training.origins.published.use import trained

        return trained(run, tensors)

    def published_tensors(self, run: StoredRun, tensors: "Mapping[str, Tensor]") -> "dict[str, Tensor]":
        from oratory.training.origins.published.use import published_tensors

        return published_tensors(run, tensors)

    def command(self, task: Task, given: Mapping[str, str]) -> list[str]:
        settings = dict(given)
        return ["oratory", "finetune", settings.pop(MODEL), *(f"{name}={value}" for name, value in settings.items())]

    def option(self, settings: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
        others = dict(settings)
        return ["--model", others.pop(MODEL)], others

    def ready(self, settings: Mapping[str, str]) -> None:
        from oratory.training.origins.published.hf import need
        from oratory.training.origins.published.model import PublishedModel

        if settings.get("engine", "hf") == "hf":
            need("transformers")
        PublishedModel.find(settings[MODEL])
