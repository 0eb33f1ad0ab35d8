"""Mechanisms that were written in a notebook cell or at a prompt: their source, as a file that a run can keep.

What the class uses from outside of itself goes into the file too: imports, and classes, functions and plain values of
the user's own. So the file gives the same mechanism anywhere.
"""

import ast
import inspect
import linecache
import sys
import textwrap
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from oratory.errors import InputError

PLAIN = (bool, int, float, str, bytes, tuple, type(None))
"""Values that can be written down as they are."""


def source_of(cls: type) -> str:
    """The text of a file that defines the class and all that it needs."""
    found: dict[str, str] = {}
    _add(cls, found)
    imports = sorted(text for text in found.values() if text.startswith(("import ", "from ")))
    others = [text for text in found.values() if text not in imports]
    return "\n".join([*imports, "", *others]) + "\n"


def _add(thing: Any, found: dict[str, str]) -> None:
    """Add a class or a function of the user's own, after all that it uses."""
    if thing.__name__ in found:
        return
    text = _text(thing)
    found[thing.__name__] = ""  # What uses itself does not look for itself.
    around = thing.__globals__ if isinstance(thing, FunctionType) else vars(sys.modules[thing.__module__])
    for name in _names(text):
        if name not in found and name in around and name != thing.__name__:
            _add_name(name, around[name], thing, found)
    del found[thing.__name__]
    found[thing.__name__] = f"\n{text}"


def _add_name(name: str, value: Any, user: Any, found: dict[str, str]) -> None:
    if isinstance(value, ModuleType):
        found[name] = f"import {value.__name__}" + (f" as {name}" if value.__name__ != name else "")
        return
    home, called = str(getattr(value, "__module__", "")), str(getattr(value, "__name__", ""))
    own = home == user.__module__
    if not own and home in sys.modules and getattr(sys.modules[home], called, None) is value:
        found[name] = f"from {home} import {called}" + (f" as {name}" if called != name else "")
    elif own and isinstance(value, type | FunctionType) and value.__name__ == name:
        _add(value, found)
    elif isinstance(value, PLAIN) and _is_written(value):
        found[name] = f"{name} = {value!r}"
    else:
        raise InputError(
            f"{user.__name__} uses {name!r}, which cannot be kept with it; write the class into a file, and give that "
            "as a plugin."
        )


def _is_written(value: Any) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError):
        return False


def _names(text: str) -> Iterator[str]:
    """The names that a piece of source uses."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name):
            yield node.id


def _text(thing: Any) -> str:
    """The source of a class or a function, with its decorators."""
    try:
        return textwrap.dedent(inspect.getsource(thing))
    except (OSError, TypeError):  # A class of a notebook has no file; its functions know the cell.
        for function in vars(thing).values() if isinstance(thing, type) else ():
            if isinstance(function, FunctionType):
                cell = "".join(linecache.getlines(function.__code__.co_filename))
                text = _in_cell(cell, thing.__name__)
                if text is not None:
                    return text
    raise InputError(
        f"The source of {thing.__name__} is not known here; write it into a file, and give that as a plugin."
    )


def _in_cell(cell: str, name: str) -> str | None:
    """The definition of a class in the text of a cell."""
    for node in ast.walk(ast.parse(cell)):
        if isinstance(node, ast.ClassDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return textwrap.dedent("\n".join(cell.splitlines()[first - 1 : node.end_lineno]))
    return None
