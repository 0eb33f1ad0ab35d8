"""One setting of a run: its name, what it means, what it can be, and its default."""

import types
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Union, get_args, get_origin, get_type_hints

from oratory.settings import parameters_of, required, written

_WORDS = {bool: "on, off", int: "whole number", float: "number", str: "text", type(None): "none"}


@dataclass(frozen=True)
class Setting:
    """A setting as it is written on the command line, in Python and in a record."""

    name: str
    type: Any
    meaning: str
    default: str
    choices: Mapping[str, type] = field(default_factory=dict)
    """The objects that it can be, by name; each may have parameters."""
    words: Sequence[str] = ()
    """The words that it can be."""

    @property
    def values(self) -> str:
        """What it can be, for a reader."""
        return ", ".join(self.choices or self.words) or kind_of(self.type)


def types_in(config: type, without: Collection[str] = ()) -> dict[str, Any]:
    """The fields of a configuration with their types. No default is made, so no mechanism is loaded."""
    hints = get_type_hints(config)
    return {item.name: hints[item.name] for item in fields(config) if item.name not in without}


def settings_in(
    config: type,
    prefix: str = "",
    choices: Mapping[str, Mapping[str, type]] | None = None,
    words: Mapping[str, Sequence[str]] | None = None,
    without: Collection[str] = (),
) -> list[Setting]:
    """The fields of a configuration as settings; the docstring under a field is its meaning."""
    hints = get_type_hints(config)
    needed = required(config)
    found = []
    for parameter in parameters_of(config):
        name = parameter.name
        if name not in without:
            known = (choices or {}).get(name, {})
            default = "must be given" if name in needed else shown(parameter.default, known)
            allowed = (words or {}).get(name, ())
            found.append(Setting(f"{prefix}{name}", hints[name], parameter.help, default, known, allowed))
    return found


def shown(value: Any, choices: Mapping[str, type] | None = None) -> str:
    """A value as it is written; a choice by its name among all choices."""
    name = next((name for name, cls in (choices or {}).items() if cls is type(value)), None)
    if name is not None:
        return written(value, name)
    if isinstance(value, tuple):
        return "+".join(map(shown, value)) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def kind_of(hint: Any) -> str:
    """What values of a type are called."""
    if get_origin(hint) in (Union, types.UnionType):
        return ", ".join(map(kind_of, get_args(hint)))
    if get_origin(hint) is tuple:
        return f"{kind_of(get_args(hint)[0])}, several joined by +"
    return _WORDS[hint]
