"""What the parameters of Oratory's own mechanisms are, read from their files: loading them would load torch."""

import ast
import re
from collections.abc import Iterator
from dataclasses import MISSING, field, fields, make_dataclass
from functools import cache
from pathlib import Path
from typing import Any, get_type_hints

from oratory.mechanisms import kinds

_KINDS = kinds.__name__


@cache
def stand_in(module: str) -> type:
    """A class with the parameters of the mechanism that a file is named after, and nothing else of it."""
    name = module.rpartition(".")[2].replace("_", "-")
    (cls,) = (cls for cls in _classes(module).values() if name in (kebab(cls.name), *_named(cls)))
    found = _parameters(module, cls.name)
    made = [(each, kind, field(default=default)) for each, (kind, default) in found.items()]
    return make_dataclass(cls.name, made, frozen=True, kw_only=True)


def kebab(name: str) -> str:
    """The name of a class as it is written on the command line: `AlibiRope` is `alibi-rope`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower()


def _parameters(module: str, name: str) -> dict[str, tuple[Any, Any]]:
    """The parameters of a class with their types and defaults, those that it inherits first."""
    if module == _KINDS:  # Which needs no torch.
        cls = getattr(kinds, name)
        hints = {each: kind for each, kind in get_type_hints(cls).items() if each in {f.name for f in fields(cls)}}
        return {each.name: (hints[each.name], each.default) for each in fields(cls)}
    found: dict[str, tuple[Any, Any]] = {}
    cls = _classes(module)[name]
    for base in reversed(cls.bases):
        if isinstance(base, ast.Name):
            found |= _parameters(_homes(module).get(base.id, module), base.id)
    return found | dict(_own(cls))


def _own(cls: ast.ClassDef) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """The fields that a class writes down itself, as a dataclass reads them."""
    for line in cls.body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            kind = ast.unparse(line.annotation)
            if not kind.startswith("ClassVar"):
                default = MISSING if line.value is None else ast.literal_eval(line.value)
                yield line.target.id, (_TYPES[kind], default)


_TYPES = {str(kind): kind for kind in (int | None, float | None, str | None)}
_TYPES |= {kind.__name__: kind for kind in (int, float, bool, str)}
"""By how they are written."""


def _named(cls: ast.ClassDef) -> list[str]:
    """The name that a class gives itself, where it does."""
    values = (line.value for line in cls.body if isinstance(line, ast.AnnAssign) and ast.unparse(line.target) == "name")
    return [ast.literal_eval(value) for value in values if value is not None]


def _classes(module: str) -> dict[str, ast.ClassDef]:
    return {line.name: line for line in _parsed(module).body if isinstance(line, ast.ClassDef)}


def _homes(module: str) -> dict[str, str]:
    """Where the names that a module imports are from."""
    lines = [line for line in _parsed(module).body if isinstance(line, ast.ImportFrom)]
    return {alias.name: line.module or "" for line in lines for alias in line.names}


@cache
def _parsed(module: str) -> ast.Module:
    file = Path(kinds.__file__).parent.joinpath(*module.removeprefix(f"{__package__}.").split(".")).with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))
