"""Tasks: what models are trained for. Each is a folder here, found by being there."""

from functools import cache

from oratory.discovery import classes_in
from oratory.errors import unknown
from oratory.training.tasks.task import Task

__all__ = ["Task", "task_of", "tasks"]


@cache
def tasks() -> dict[str, Task]:
    """Every task by its name."""
    made = [cls() for cls in classes_in(__name__, Task)]  # type: ignore[type-abstract]
    return {task.name: task for task in made}


def task_of(name: str) -> Task:
    """The task of that name."""
    if name not in tasks():
        raise unknown("task", name, tasks())
    return tasks()[name]
