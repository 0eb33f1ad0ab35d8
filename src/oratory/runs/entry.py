"""What a list says of a run: a few facts of its record, flat enough to filter, sort and group by."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import exp, isfinite, log
from typing import Any

from oratory.errors import InputError
from oratory.runs.record import NOT_IDENTITY, RECORD, STATUSES, Run

TEST_FIGURES = ("accuracy", "accuracy_seen", "accuracy_unseen", "loss")
NOT_TEST = ("train", "dev")


@dataclass(frozen=True, slots=True)
class Entry:
    """What the catalogue knows of a run. One whose record cannot be read has a name and a status only."""

    id: str
    """The name of its folder."""
    task: str = ""
    corpus: str = ""
    fingerprint: str = ""
    seed: int | None = None
    status: str = "damaged"
    """As in the record; or damaged, or newer where a newer Oratory wrote it."""
    created: str = ""
    seconds: float | None = None
    parameters: int | None = None
    group: str = ""
    """The same for runs that differ in their seed only."""
    variant: str = ""
    """The settings that were given, such as `layers=6 position=rope`; `base` where none were."""
    figures: Mapping[str, float | None] = field(default_factory=dict)
    """Of a classifier those of test; of a language model perplexities, and their mean over the tokens of all tests."""
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, run: Run) -> "Entry":
        """What the record of a run says, or an InputError where it lacks something."""
        try:
            return cls._of(run)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
            raise InputError(f"{run.folder / RECORD} is damaged: {reason}.") from None

    @classmethod
    def _of(cls, run: Run) -> "Entry":
        record = run.record
        settings = dict(record["settings"])
        json.dumps(settings, allow_nan=False)
        if run.status not in STATUSES:
            raise ValueError(f"status {run.status!r}")
        return cls(
            id=run.folder.name,
            task=run.task,
            corpus=str(record["corpus"]["name"]),
            fingerprint=str(record["corpus"]["fingerprint"]),
            seed=run.seed,
            status=run.status,
            created=str(record["created"]),
            seconds=finite(record.get("seconds")),
            parameters=int(record["parameters"]["total"]),
            group=str(record["group"]),
            variant=_variant(record.get("given") or {}, settings),
            figures=_figures(run.task, record.get("result") or {}),
            settings=settings,
        )

    def to_dict(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"run" if name == "id" else name: getattr(self, name) for name in _NAMES}


_NAMES = [item.name for item in fields(Entry)]
FACTS = _NAMES[1:-1]
"""All but the name and the settings, which stand apart: many runs share them."""


def finite(value: Any) -> float | None:
    """A figure, or None where there is none that JSON could hold."""
    is_figure = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_figure and isfinite(value) else None


def _variant(given: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """In the order of the settings and with their values, so that one variant has one text."""
    order = {name: place for place, name in enumerate(settings)}
    names = sorted((name for name in given if name not in NOT_IDENTITY), key=lambda name: order.get(name, len(order)))
    return " ".join(f"{name}={as_text(settings.get(name, given[name]))}" for name in names) or "base"


def as_text(value: Any) -> str:
    """A setting as it is written on the command line."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return "+".join(map(as_text, value))
    return "none" if value is None else str(value)


def _figures(task: str, result: Mapping[str, Any]) -> dict[str, float | None]:
    if task != "lm":
        test, dev = result.get("test") or {}, result.get("dev") or {}
        figures = {name: finite(test[name]) for name in TEST_FIGURES if name in test}
        return figures | ({"dev_accuracy": finite(dev["accuracy"])} if "accuracy" in dev else {})
    perplexities = {f"perplexity.{name}": finite(text["perplexity"]) for name, text in result.items()}
    return ({"perplexity": _mean_perplexity(result)} if result else {}) | perplexities


def _mean_perplexity(result: Mapping[str, Any]) -> float | None:
    """Over every token of the test texts."""
    texts = [text for name, text in result.items() if name not in NOT_TEST]
    tokens = sum(text["tokens"] for text in texts)
    if not tokens or any(finite(text["perplexity"]) is None for text in texts):
        return None
    return exp(sum(text["tokens"] * log(text["perplexity"]) for text in texts) / tokens)
