"""What a new model takes over from an earlier run: its architecture, its weights, and its head where that fits."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from oratory.errors import InputError
from oratory.model import ModelConfig, Transformer
from oratory.model.config import DROPOUTS
from oratory.training.origins.own.earlier import EarlierRun
from oratory.training.tasks import Task, tasks

HEAD = ("head.", "pool.", "objective.")
"""How the names begin of what a task puts on top of the last block."""


def config_from(earlier: EarlierRun, task: Task, changes: Mapping[str, Any]) -> ModelConfig:
    """The configuration of a model for a task that starts from an earlier run. Its classes are still to come."""
    _check_task(earlier, task)
    before = earlier.config
    own = {"output", "classes", *task.unused, *earlier.task.unused}
    if not before.head.serves(task.model["output"], before.causal):
        own.add("head")
    kept = {name: value for name, value in before.to_dict().items() if name not in own}
    config = task.config(**{**kept, "classes": 2, **changes})
    end = before.longest
    if end is not None and config.context > end:
        raise InputError(
            f"context={config.context} is too long: the positions of {earlier.id} end at {end}. Take at most that, or "
            "start from a run whose positions have no end (rope, alibi, sinusoidal)."
        )
    return config


def keeps_head(earlier: EarlierRun, task: Task, config: ModelConfig, labels: tuple[str, ...]) -> bool:
    """Whether the head of the earlier run fits: for the same task, of the same form, and for just these classes."""
    free = {"context", *DROPOUTS, "classes", *task.unused}
    before, now = earlier.config.to_dict(), config.to_dict()
    same_form = all(before[name] == value for name, value in now.items() if name not in free)
    return earlier.task is task and earlier.record.labels == labels and same_form


def started(earlier: EarlierRun, config: ModelConfig, head: bool, seed: int) -> Transformer:
    """The model with the weights of the earlier run; what that did not have follows from the seed.

    Where a table of positions was longer, its first rows are taken.
    """
    model = Transformer(config, seed)
    values = model.state_dict()
    for name, value in values.items():
        if head or not name.startswith(HEAD):
            values[name] = _fitting(name, value, earlier)
    model.load_state_dict(values)
    return model


def _fitting(name: str, wanted: Tensor, earlier: EarlierRun) -> Tensor:
    found = earlier.tensors.get(name)
    if not wanted.numel():  # Counts, which are those of the text that is trained on.
        return wanted
    if found is not None and name.startswith("position.") and found.shape[1:] == wanted.shape[1:]:
        found = found[: len(wanted)]
    if found is None or found.shape != wanted.shape:
        has = "has no such weights" if found is None else f"has {tuple(found.shape)} there"
        raise InputError(f"{name} needs {tuple(wanted.shape)} values, and the run {earlier.id} {has}.")
    return found


def _check_task(earlier: EarlierRun, task: Task) -> None:
    from oratory.training.origins import origin_of

    if not origin_of(earlier.record.settings).can_be_continued:
        raise InputError(
            f"The run {earlier.id} is a published model that was fine-tuned, and no other run can start from it. "
            f"Export it (oratory export {earlier.id} --to hf), and fine-tune that folder."
        )
    if not task.starts_from(earlier.task):
        able = [f"a {other.noun}" for other in tasks().values() if task.starts_from(other)]
        raise InputError(
            f"A {task.noun} can start from {' or '.join(able)}, and the run {earlier.id} is a {earlier.task.noun}."
        )
