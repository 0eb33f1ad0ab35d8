"""Run all benchmarks, or some by name, with options: `python -m benchmarks tokens memory sizes=1,1000`."""

import pkgutil
import sys
from importlib import import_module

from benchmarks import __path__
from oratory.errors import unknown
from oratory.reports.terminal import print_tables

names = [found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_")]


def value(text: str) -> object:
    """A whole number, or several with commas between; else the text itself."""
    numbers = text.split(",")
    if not all(map(str.isdecimal, numbers)):
        return text
    return tuple(map(int, numbers)) if len(numbers) > 1 else int(text)


wanted: dict[str, dict[str, object]] = {}
for word in sys.argv[1:]:
    key, equals, text = word.partition("=")
    if not equals and key not in names:
        sys.exit(str(unknown("benchmark", key, names)))
    if not equals:
        wanted[key] = {}
    elif wanted:
        wanted[list(wanted)[-1]][key] = value(text)
    else:
        sys.exit(f"{word}: an option comes after the name of its benchmark.")
for name, options in (wanted or {name: {} for name in names}).items():
    print_tables([import_module(f"benchmarks.{name}").measure(**options)])
