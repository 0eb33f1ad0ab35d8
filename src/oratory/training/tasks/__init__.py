"""Tasks: what models are trained for. Each is a folder here, found by being there."""

from functools import cache
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from oratory.discovery import classes_in
from oratory.errors import unknown
from oratory.tables import series
from oratory.training.tasks.task import Task

if TYPE_CHECKING:
    from oratory.model import ModelConfig

__all__ = ["Task", "base", "task_for", "task_names", "task_of", "tasks"]

ENCODER = "encoder"
"""What `base` calls a model that gives vectors, and so is for no task."""


@cache
def tasks() -> dict[str, Task]:
    """Every task by its name."""
    made = [cls() for cls in classes_in(__name__, Task, folders=True)]  # type: ignore[type-abstract]
    return {task.name: task for task in made}


def task_names() -> str:
    """The names of all tasks in words, for help; nothing of a task is loaded."""
    return series([found.name for found in iter_modules(__path__) if found.ispkg], "or")


def task_of(name: str) -> Task:
    """The task of that name."""
    if name not in tasks():
        raise unknown("task", name, tasks())
    return tasks()[name]


def task_for(config: "ModelConfig") -> Task | None:
    """The task that such a model can do as it is, whoever trained it; None where it gives vectors."""
    made = (config.output, config.causal)
    return next((t for t in tasks().values() if (t.model["output"], t.model.get("causal", False)) == made), None)


def base(model: str, vocabulary: int, classes: int = 0, **changes: Any) -> "ModelConfig":
    """The base settings of a task's model, or of an encoder, with changes; these may be text, as in a command."""
    from oratory.model import ModelConfig

    if model == ENCODER:
        return ModelConfig.from_dict({"output": "vectors", "vocabulary": vocabulary, "classes": classes} | changes)
    if model not in tasks():
        raise unknown("model", model, (*tasks(), ENCODER))
    return tasks()[model].config(vocabulary, classes, **changes)
