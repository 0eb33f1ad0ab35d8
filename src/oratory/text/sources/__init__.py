"""The sources of corpora: one file each, found by being in this folder."""

import inspect
import pkgutil
from importlib import import_module

from oratory.text.source import Source


def _found() -> dict[str, type[Source]]:
    modules = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return {
        cls.__name__.lower(): cls
        for module in modules
        for cls in vars(module).values()
        if inspect.isclass(cls) and issubclass(cls, Source) and cls.__module__ == module.__name__
    }


SOURCES = _found()
"""Every source by its name."""
