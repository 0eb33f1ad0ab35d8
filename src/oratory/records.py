"""Records: JSON files that carry their own checksum, and whose values are checked when they are read."""

import json
import types
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from oratory.errors import InputError
from oratory.files import digest_of, read_object, write_text
from oratory.ids import key_of
from oratory.settings import required

DIGEST = "digest"
"""The entry that holds the checksum of all others. Files of older versions have none."""
FORMAT = 1
"""Of the record of a run; raised when older code could no longer read it."""
RECORD, MODEL, TOKENIZER = "run.json", "model.safetensors", "tokenizer.json"
"""Files of a run that another one may start from."""
SHOWN = 40
"""Characters of a wrong value in a message."""

T = TypeVar("T")

_KINDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


class WrongValue(ValueError):  # noqa: N818 - a value is wrong, which is for the reader of a file to report
    """A value that is not of the type of its field: which one, and what it must be."""


def write_record(path: Path, values: Mapping[str, Any]) -> None:
    """Write plain values with their checksum."""
    plain = json.loads(json.dumps(values, allow_nan=False))
    write_text(path, json.dumps(plain | {DIGEST: key_of(plain)}, indent=1, ensure_ascii=False))


def read_record(path: Path) -> dict[str, Any]:
    """The values in a file, or an InputError that says what is wrong with it."""
    values = read_object(path, "damaged: it is ")
    if values.pop(DIGEST, key_of(values)) != key_of(values):
        raise InputError(f"{path} is damaged: its content does not have the checksum that it says.")
    return values


def checked_file(path: Path, expected: str) -> Path:
    """The path of a file, if its checksum is the one that its record says; else an InputError."""
    if digest_of(path) != expected:
        raise InputError(f"{path} was changed or damaged: its checksum is not that of the record.")
    return path


def typed(cls: type[T], values: Any, path: Path) -> T:
    """The values of a file as a dataclass; an InputError names the file and the first field that is wrong."""
    try:
        found: T = checked(cls, values)
    except WrongValue as error:
        raise InputError(f"{path} is damaged: {error}.") from None
    return found


def checked(hint: Any, value: Any, name: str = "the value") -> Any:
    """A value of JSON as the type that is wanted, or a WrongValue."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return value
    if is_dataclass(hint):
        return _dataclass(hint, value, "" if name == "the value" else f"{name}.")
    if origin in (Union, types.UnionType):
        return _one_of(arguments, value, name)
    if origin is Literal:
        _check(value in arguments, f"one of {', '.join(map(str, arguments))}", value, name)
        return value
    if origin is tuple:
        _check(isinstance(value, list | tuple), "a list", value, name)
        return tuple(checked(arguments[0], part, f"{name}[{at}]") for at, part in enumerate(value))
    if origin is not None and issubclass(origin, Mapping):
        _check(isinstance(value, Mapping), "an object", value, name)
        return {key: checked(arguments[1], part, f"{name}.{key}") for key, part in value.items()}
    return _plain(hint, value, name)


def _dataclass(cls: Any, value: Any, prefix: str) -> Any:
    """A dataclass whose fields are all of their types; entries that it does not know are refused."""
    _check(isinstance(value, Mapping), "an object", value, prefix.removesuffix(".") or "it")
    hints, needed = _fields(cls)
    extra = next((key for key in value if key not in hints), None)
    if extra is not None:
        raise WrongValue(f"nothing is known of {prefix}{extra}")
    missing = next((name for name in needed if name not in value), None)
    if missing is not None:
        raise WrongValue(f"it lacks {prefix}{missing}")
    return cls(**{name: checked(hints[name], part, f"{prefix}{name}") for name, part in value.items()})


@cache
def _fields(cls: Any) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The types of the fields of a dataclass, and the names of those that must be there."""
    return get_type_hints(cls), tuple(required(cls))


def _one_of(hints: tuple[Any, ...], value: Any, name: str) -> Any:
    """A value of one of several types, of which none may be meant."""
    if value is None and type(None) in hints:
        return None
    *others, last = (hint for hint in hints if hint is not type(None))
    for hint in others:
        try:
            return checked(hint, value, name)
        except WrongValue:
            continue
    return checked(last, value, name)


def _plain(kind: Any, value: Any, name: str) -> Any:
    """Text, a number, or true or false."""
    allowed = int | float if kind is float else kind
    fits = isinstance(value, allowed) and (kind is bool or not isinstance(value, bool))
    _check(fits and (not isinstance(value, float) or isfinite(value)), _KINDS[kind], value, name)
    return kind(value)


def _check(fits: bool, wanted: str, value: Any, name: str) -> None:
    if not fits:
        shown = repr(value)
        raise WrongValue(f"{name} must be {wanted}, not {shown if len(shown) <= SHOWN else shown[:SHOWN] + '…'}")
