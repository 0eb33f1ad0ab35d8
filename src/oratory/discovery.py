"""Finding choices by being in their folder: no list to keep."""

import pkgutil
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")


def classes_in(package: str, base: type[T]) -> list[type[T]]:
    """The classes that the modules of a package define from `base`, in the order of the modules' names."""
    found = []
    for entry in pkgutil.iter_modules(import_module(package).__path__):
        module = import_module(f"{package}.{entry.name}")
        found += [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, base) and value.__module__.startswith(module.__name__)
        ]
    return [cls for cls in found if not getattr(cls, "__abstractmethods__", None)]
