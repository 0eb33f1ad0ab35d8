"""Finding choices by being in their folder, with no list to keep; and loading names when they are first used."""

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any, TypeVar

T = TypeVar("T")


def classes_in(package: str, base: type[T], folders: bool = False) -> list[type[T]]:
    """The classes that the modules of a package define from `base`, in the order of the modules' names.

    With `folders` only those that are folders are looked at, so that what else is there need not be loaded.
    """
    found = []
    for entry in pkgutil.iter_modules(import_module(package).__path__):
        if folders and not entry.ispkg:
            continue
        module = import_module(f"{package}.{entry.name}")
        found += [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, base) and value.__module__.startswith(module.__name__)
        ]
    return [cls for cls in found if not getattr(cls, "__abstractmethods__", None)]


def lazily(package: str, rooms: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: each name comes from its module, which is loaded when it is first needed.

    A name that its module does not have, and that is the name of the module, is the module itself.
    """
    home = {name: module for module, names in rooms.items() for name in names}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{home[name]}")
        return module if name == home[name] and not hasattr(module, name) else getattr(module, name)

    return load
