"""Settings as people write them: `key=value` words, and choices such as `word(min_count=3)`.

A choice is a frozen dataclass. Its class name is the name on the command line, its fields are the parameters,
and the same text goes into command lines, TOML files, Python and the record of a run. A value that holds a comma
or a quotation mark is written as a JSON string: `folder(path="a,b")`.
"""

import ast
import inspect
import json
import re
import types
from collections.abc import Collection, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from oratory.errors import LISTED, InputError, did_you_mean, unknown

_CHOICE = re.compile(r"(?P<name>[\w-]+)(?:\((?P<parameters>.*)\)|:(?P<argument>.+))?", re.DOTALL)
_WORDS_FOR_BOOLEANS = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}


def as_text(settings: Mapping[str, Any] | None) -> dict[str, str]:
    """Settings that are given in Python, as they would be written."""
    return {name: str(value) for name, value in (settings or {}).items()}


def parse_words(words: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """`["tokenizer=bpe"]` as a dictionary; every key must be in `known` and come once."""
    settings: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if key in known and not value:
            raise InputError(f"The setting {key!r} has no value; write {key}=VALUE. See: oratory settings {key}")
        if not equals or not value:
            some = ", ".join(known) if len(known) <= LISTED else "those of oratory settings"
            hint = did_you_mean(key, known)
            raise InputError(f"{word!r} is not a setting; write key=value.{hint} The keys are {some}.")
        if key not in known:
            raise unknown("setting", key, known)
        if key in settings:
            raise InputError(f"The setting {key!r} is given twice: {settings[key]!r} and {value!r}.")
        settings[key] = value
    return settings


def choose(text: str, choices: Mapping[str, type], what: str) -> Any:
    """The object that `name`, `name(parameter=value, ...)` or `name:argument` describes.

    `name:argument` gives the argument to the first field; it is the short form for a name or a path.
    """
    match = _CHOICE.fullmatch(text.strip())
    if match is None:
        raise InputError(f"{text!r} is not a {what}; write a name, or name(parameter=value).")
    name = match["name"]
    if name not in choices:
        raise unknown(what, name, choices)
    cls = choices[name]
    if match["argument"]:
        return build(cls, {_ordered(cls)[0].name: match["argument"]}, name)
    return build(cls, _parameters(match["parameters"] or "", text), name)


def build(cls: type, given: Mapping[str, str], name: str) -> Any:
    """An instance of the dataclass from parameters as text."""
    assert is_dataclass(cls)
    hints = get_type_hints(cls)
    known = {field.name: field for field in fields(cls) if field.init}
    for parameter in given:
        if parameter not in known:
            raise unknown(f"parameter of {name}", parameter, known)
    for parameter in required(cls):
        if parameter not in given:
            raise InputError(f"{name} needs its parameter {parameter!r}, as in {name}({parameter}=...).")
    values = {key: convert(text, hints[key], f"{name}({key}=...)") for key, text in given.items()}
    return cls(**values)


def required(cls: type) -> list[str]:
    """The fields of a dataclass that have no default."""
    assert is_dataclass(cls)
    return [field.name for field in fields(cls) if field.init and field.default is MISSING is field.default_factory]


def written(choice: Any, name: str) -> str:
    """The text that `choose` reads back: the name, and the parameters that are not at their default."""
    parts = [
        f"{field.name}={_text(value)}"
        for field in _ordered(type(choice))
        if field.init and (value := getattr(choice, field.name)) != field.default
    ]
    return f"{name}({','.join(parts)})" if parts else name


@dataclass(frozen=True)
class Parameter:
    """One parameter of a choice, for help and records."""

    name: str
    type: str
    default: Any
    help: str


def parameters_of(cls: type) -> list[Parameter]:
    """The fields of a choice, each with the docstring below it as its help."""
    hints = get_type_hints(cls)
    helps = _field_docs(cls)
    return [
        Parameter(
            field.name,
            getattr(hints[field.name], "__name__", str(hints[field.name])),
            _default(field),
            helps.get(field.name, ""),
        )
        for field in _ordered(cls)
    ]


def about(cls: type) -> str:
    """The first paragraph of a docstring, on one line."""
    return inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0].replace("\n", " ")


def _default(field: Field[Any]) -> Any:
    """The default of a field; None if it has none."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


@cache
def _field_docs(cls: type) -> dict[str, str]:
    """The docstring under each field, own and inherited."""
    docs: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if not is_dataclass(base):
            continue
        (definition,) = ast.parse(inspect.cleandoc("\n" + inspect.getsource(base))).body
        assert isinstance(definition, ast.ClassDef)
        for field, text in zip(definition.body, definition.body[1:], strict=False):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                docs[field.target.id] = inspect.cleandoc(str(text.value.value)).replace("\n", " ")
    return docs


def _ordered(cls: type) -> list[Field[Any]]:
    """The fields of a choice; those that are given by name only come last, such as those of a base class."""
    assert is_dataclass(cls)
    return sorted(fields(cls), key=lambda field: field.kw_only is True)


def _parameters(text: str, whole: str) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for part in _pieces(text, ","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise InputError(f"{part!r} in {whole!r} is not parameter=value; several values are joined by a plus sign.")
        if key in parameters:
            raise InputError(f"The parameter {key!r} is given twice in {whole!r}.")
        parameters[key] = value
    return parameters


def convert(text: str, hint: Any, where: str) -> Any:
    """The text as the type that the field wants."""
    if get_origin(hint) in (Union, types.UnionType):
        if text.casefold() == "none" and type(None) in get_args(hint):
            return None
        hint = next(option for option in get_args(hint) if option is not type(None))
    if get_origin(hint) is tuple:
        return tuple(convert(part, get_args(hint)[0], where) for part in _pieces(text, "+"))
    if hint is bool:
        if text.casefold() not in _WORDS_FOR_BOOLEANS:
            raise InputError(f"{where}: {text!r} is neither on nor off.")
        return _WORDS_FOR_BOOLEANS[text.casefold()]
    if hint is str:
        return _unquoted(text)
    try:
        return hint(text)
    except ValueError:
        kind = {int: "a whole number", float: "a number"}.get(hint, hint.__name__)
        raise InputError(f"{where}: {text!r} is not {kind}.") from None


def _pieces(text: str, separator: str) -> list[str]:
    """The parts between separators that are outside quotation marks, without blanks around them; none is empty."""
    found = re.findall(rf'(?:"(?:[^"\\]|\\.)*"|[^{separator}])+', text)
    return [piece for part in found if (piece := part.strip())]


def _text(value: Any, inside: bool = False) -> str:
    """A value as text; `inside` a tuple a plus sign has to be quoted too."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return "+".join(_text(part, inside=True) for part in value)
    text = str(value)
    special = isinstance(value, str) and (text.casefold() in ("", "none") or text != text.strip())
    return json.dumps(text, ensure_ascii=False) if special or set(text) & set(',"+' if inside else ',"') else text


def joined(values: tuple[str, ...]) -> str:
    """Several values as one text, which `convert` reads back."""
    return _text(values)


def _unquoted(text: str) -> str:
    """The content of a JSON string; any other text as it is."""
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        return text
