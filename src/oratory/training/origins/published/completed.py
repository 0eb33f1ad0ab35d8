"""The settings of fine-tuning that make sense together; the model is not looked for, and torch is not loaded."""

from collections.abc import Mapping
from dataclasses import dataclass

from oratory.training.config import split_settings, training_from
from oratory.training.origins.origin import Completed
from oratory.training.origins.published.config import TRAINING, FineTuneConfig
from oratory.training.tasks.task import Task


@dataclass(frozen=True)
class CompletedPublished(Completed):
    """The settings of a published model that is fine-tuned."""

    chosen: FineTuneConfig


def complete(task: Task, settings: Mapping[str, str]) -> CompletedPublished:
    """Complete settings and refuse what makes no sense, before a model is looked for."""
    training_given, changes = split_settings(settings)
    model = changes.pop("model")
    chosen = FineTuneConfig.from_text(changes)
    training = training_from(task.train_config(), TRAINING, training_given)
    training.check_context(chosen.context)
    known_now = {"model": model, **vars(chosen), **task.recorded_training(training)}
    return CompletedPublished(task, training, known_now, chosen)
