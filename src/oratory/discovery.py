"""Finding choices by being in their folder, with no list to keep; and loading no more than is used."""

import ast
import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
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


def lazily(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package: each name comes from its module, which is loaded when it is first needed.

    The names are those that the package imports `if TYPE_CHECKING`, so that they are written once for tools and for us.
    """
    home = {name: module for module, names in names_by_module(package).items() for name in names}

    def load(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if home[name] == package:  # A module of the package itself.
            return import_module(f"{package}.{name}")
        return getattr(import_module(home[name]), name)

    return load


def names_by_module(package: str) -> dict[str, list[str]]:
    """What a package imports `if TYPE_CHECKING`, in the order of its file."""
    found: dict[str, list[str]] = {}
    for block in ast.parse(pkgutil.get_data(package, "__init__.py") or b"").body:
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING":
            for line in block.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    found.setdefault(line.module, []).extend(alias.name for alias in line.names)
    return found


def import_alone(name: str) -> ModuleType:
    """A module of a large library, without what its packages load when they are imported.

    Only the modules that it asks for itself are run. None of them stays among the imported ones, so that whoever
    imports the library later has all of it.
    """
    library, *inner = name.split(".")
    if library in sys.modules:
        return import_module(name)
    package, path = library, None
    try:
        for part in inner:
            spec = PathFinder.find_spec(package, path)
            if spec is None or spec.submodule_search_locations is None:
                raise ModuleNotFoundError(f"No package named {package!r}", name=package)
            sys.modules[package] = shell = ModuleType(package)
            shell.__path__ = path = list(spec.submodule_search_locations)
            package = f"{package}.{part}"
        return import_module(name)
    finally:
        for loaded in [one for one in sys.modules if one == library or one.startswith(f"{library}.")]:
            del sys.modules[loaded]
