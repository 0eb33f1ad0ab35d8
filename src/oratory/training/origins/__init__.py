"""Origins: where a model comes from. Each is a file or a folder here, found by being there."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from oratory.discovery import classes_in
from oratory.training.config import PREFIX
from oratory.training.origins.origin import Completed, Origin, architecture

if TYPE_CHECKING:
    from oratory.model.contract import ModelContract
    from oratory.text import Corpus
    from oratory.training.prepared import Prepared
    from oratory.training.tasks import Task

__all__ = [
    "Completed",
    "Origin",
    "all_settings",
    "architecture",
    "contract_of",
    "full_name",
    "origin_of",
    "origins",
    "prepare",
]


@cache
def origins() -> tuple[Origin, ...]:
    """Every origin."""
    return tuple(cls() for cls in classes_in(__name__, Origin))  # type: ignore[type-abstract]


def origin_of(settings: Mapping[str, Any]) -> Origin:
    """The origin of a model with these settings."""
    return next(origin for origin in origins() if origin.claims(settings))


def all_settings() -> dict[str, Any]:
    """The settings of all origins with their types; preparing a run refuses what does not fit its own."""
    found: dict[str, Any] = {}
    for origin in sorted(origins(), key=lambda origin: not origin.claims({})):
        found |= {name: kind for name, kind in origin.known().items() if name not in found}
    return found


def full_name(setting: str) -> str:
    """The whole name of a setting; that of training may be written without its beginning, as in `optimizer`."""
    known = all_settings()
    return f"{PREFIX}{setting}" if setting not in known and f"{PREFIX}{setting}" in known else setting


def contract_of(task: "Task", settings: Mapping[str, str]) -> "ModelContract | None":
    """What the contract finds of a model with these settings; None for a model that is not made of mechanisms."""
    return origin_of(settings).complete(task, settings).contract()


def prepare(task: str, corpus: "Corpus", settings: Mapping[str, str], seed: int = 0) -> "Prepared":
    """Complete the settings of a run, and make everything ready that it trains."""
    from oratory.training.tasks import task_of

    return origin_of(settings).prepare(task_of(task), corpus, settings, seed)
