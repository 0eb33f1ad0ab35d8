"""Choosing runs out of a list: conditions such as `layers=6` or `accuracy>80`, and an order."""

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from oratory.errors import InputError, unknown
from oratory.runs.entry import Entry, as_text
from oratory.training.tasks import task_of, tasks

_NAMES = ("run", *(item.name for item in fields(Entry)[1:]))
COLUMNS = tuple(name for name in _NAMES if name not in ("figures", "settings"))
TEXTS = ("run", "task", "corpus", "fingerprint", "status", "created", "group", "variant", "name", "tags", "note")

T = TypeVar("T")

_WORD = re.compile(r"\s*(?P<key>[^=<>!\s]+)\s*(?P<sign>>=|<=|!=|=|>|<)\s*(?P<value>.+?)\s*", re.DOTALL)
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}


def known_figures() -> list[str]:
    """Figures that may be asked for even where no run has them yet."""
    return [name for task in tasks().values() for name in task.results.known]


def value_of(entry: Entry, key: str) -> Any:
    """What a run has under a key: a column, a figure or a setting; None where it has nothing."""
    if key in COLUMNS:
        return getattr(entry, "id" if key == "run" else key)
    return entry.figures[key] if key in entry.figures else entry.settings.get(key)


def keys_of(entries: Iterable[Entry]) -> dict[str, None]:
    """Every key that these runs have: columns, figures, settings."""
    figures: dict[str, None] = dict.fromkeys(known_figures())
    settings = {}
    for entry in entries:
        figures.update(dict.fromkeys(entry.figures))
        settings[id(entry.settings)] = entry.settings  # Runs that have the same settings share them.
    names = {name: None for mapping in settings.values() for name in mapping}
    return {**dict.fromkeys(COLUMNS), **figures, **names}


@dataclass(frozen=True)
class Condition:
    """A condition on one key."""

    key: str
    sign: str
    value: str

    def holds(self, entry: Entry) -> bool:
        found = value_of(entry, self.key)
        if self.sign in ("=", "!=") and self.key in ("tags", "note"):
            return _has(found, self.value) == (self.sign == "=")
        if self.sign in ("=", "!="):
            return is_like(found, self.value) == (self.sign == "=")
        if found is None or found == "":
            return False
        if self.key in TEXTS:
            return _ORDER[self.sign](found, self.value)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise InputError(f"{self.key} is {as_text(found)!r} and no number in {entry.id}; compare it with = or !=.")
        wanted = _number(self.value, self.key)
        if self.key in entry.figures:
            wanted = task_of(entry.task).results.read(self.key, wanted)
        return _ORDER[self.sign](found, wanted)


def _has(found: str | Sequence[str], wanted: str) -> bool:
    """Whether one of the tags is this text, or the note contains it."""
    if isinstance(found, str):
        return wanted.casefold() in found.casefold()
    return wanted.casefold() in (tag.casefold() for tag in found)


def is_like(found: Any, wanted: str) -> bool:
    """Whether a value is what is written. The bare name of a choice matches all of its parameters."""
    if isinstance(found, int | float) and not isinstance(found, bool):
        try:
            return found == float(wanted)
        except ValueError:
            return False
    text = as_text(found).replace(" ", "").casefold()
    plain = wanted.replace(" ", "").casefold()
    if isinstance(found, bool):
        return plain in (("on", "true", "yes") if found else ("off", "false", "no"))
    return plain in (text, text.partition("(")[0])


def parse(words: Iterable[str], known: Iterable[str]) -> list[Condition]:
    """Conditions as they are written; every key must be known."""
    names = list(known)
    conditions = []
    for word in words:
        match = _WORD.fullmatch(word)
        if match is None:
            raise InputError(
                f"{word!r} is not a condition; write key=value, key!=value, or a comparison such as 'accuracy>80'."
            )
        check_key(match["key"], names)
        if match["sign"] in _ORDER and match["key"] not in TEXTS:
            _number(match["value"], match["key"])
        conditions.append(Condition(match["key"], match["sign"], match["value"]))
    return conditions


def is_condition(word: str) -> bool:
    """Whether a word is a condition; the id of a run is none."""
    return _WORD.fullmatch(word) is not None


def check_key(key: str, known: Iterable[str]) -> None:
    """Refuse a key that no run has."""
    names = list(known)
    if key not in names:
        raise unknown("key", key, names)


def select(
    entries: Sequence[Entry], words: Iterable[str] = (), sort: str | None = None, descending: bool = False
) -> list[Entry]:
    """The runs that meet every condition, in the order of a key; what lacks it comes last."""
    known = keys_of(entries)
    conditions = parse(words, known) if entries else []
    if sort is not None and entries:
        check_key(sort, known)
    chosen = [entry for entry in entries if all(condition.holds(entry) for condition in conditions)]
    return chosen if sort is None else ordered(chosen, lambda entry: value_of(entry, sort), descending)


def ordered(items: Iterable[T], value: Callable[[T], Any], descending: bool) -> list[T]:
    """Numbers by size and before words; what has no value comes last either way."""
    pairs = [(value(item), item) for item in items]
    present = [(_rank(found), item) for found, item in pairs if found is not None]
    present.sort(key=lambda pair: pair[0], reverse=descending)
    return [item for _, item in present] + [item for found, item in pairs if found is None]


def _rank(value: Any) -> tuple[bool, float, str]:
    is_number = isinstance(value, int | float)
    return (not is_number, value if is_number else 0, "" if is_number else as_text(value))


def _number(text: str, key: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"{key} is compared with {text!r}, which is not a number.") from None
