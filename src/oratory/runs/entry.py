"""The line of a run in a list: a few facts of its record, which runs are filtered, sorted and grouped by."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from oratory.runs.record import NOT_IDENTITY
from oratory.runs.run import Run
from oratory.tables import finite


@dataclass(frozen=True, slots=True)
class Entry:
    """A run in the catalogue. One whose record cannot be read has a name and a status only."""

    id: str
    """The name of its folder."""
    task: str = ""
    corpus: str = ""
    fingerprint: str = ""
    seed: int | None = None
    status: str = "damaged"
    """As in the record; or damaged; or newer, if a newer Oratory wrote it; or closed, if it may not be read."""
    created: str = ""
    seconds: float | None = None
    parameters: int | None = None
    group: str = ""
    """The same for runs that differ in their seed only."""
    variant: str = ""
    """The settings that were given, such as `layers=6 position=rope`; `base` where none were."""
    name: str = ""
    """What the user calls it."""
    tags: list[str] = field(default_factory=list)
    note: str = ""
    figures: Mapping[str, float | None] = field(default_factory=dict)
    """The figures that its task shows in lists."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> "Entry":
        """What the record of a run says, or an InputError where its result is damaged."""
        record = run.record
        with run.telling():
            figures = run.task.results.figures(record.result or {})
        return cls(
            id=run.folder.name,
            task=record.task,
            corpus=record.corpus.name,
            fingerprint=record.corpus.fingerprint,
            seed=record.seed,
            status=record.status,
            created=record.created,
            seconds=finite(record.seconds),
            parameters=record.parameters.total,
            group=record.group,
            variant=f"{_variant(record.given, record.settings)}{_mark(record.contract)}",
            name=record.name,
            tags=list(record.tags),
            note=record.note,
            figures=figures,
            settings=record.settings,
        )

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"run" if name == "id" else name: getattr(self, name) for name in _NAMES}


_NAMES = [item.name for item in fields(Entry)]
FACTS = _NAMES[1:-1]
"""All but the name and the settings, which are kept apart: many runs share them."""


def _variant(given: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """The settings that were given, in the order of all settings, so that one variant has one text."""
    order = {name: place for place, name in enumerate(settings)}
    names = sorted((name for name in given if name not in NOT_IDENTITY), key=lambda name: order.get(name, len(order)))
    return " ".join(f"{name}={as_text(settings.get(name, given[name]))}" for name in names) or "base"


def _mark(contract: Mapping[str, Any] | None) -> str:
    """What a list must not hide of a model whose figures mean something else."""
    if not contract or not (contract["broken"] or contract["leaks"]):
        return ""
    return " [breaks the contract]" if contract["broken"] else " [sees the future]"


def as_text(value: Any) -> str:
    """A setting as it is written on the command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return "+".join(map(as_text, value))
    return "none" if value is None else str(value)
