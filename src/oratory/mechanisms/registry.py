"""Finding mechanisms: by being in the folder of their kind, or in a user's own file."""

import importlib.util
import inspect
import pkgutil
import re
import sys
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from oratory.errors import InputError, unknown
from oratory.mechanisms.kinds import KINDS, Mechanism
from oratory.settings import Parameter, about, choose, parameters_of, written


def name_of(cls: type[Mechanism]) -> str:
    """The name on the command line: `AlibiRope` is `alibi-rope`, unless the class says otherwise."""
    return cls.name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()


class Registry:
    """The mechanisms at hand, by kind and name."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, type[Mechanism]]] = {kind: {} for kind in KINDS}
        for kind in KINDS:
            package = import_module(f"oratory.mechanisms.{kind}")
            for module in pkgutil.iter_modules(package.__path__):
                self._add(import_module(f"{package.__name__}.{module.name}"))

    def __getitem__(self, kind: str) -> dict[str, type[Mechanism]]:
        if kind not in self._found:
            raise unknown("kind of mechanism", kind, self._found)
        return self._found[kind]

    def choose(self, kind: str, text: str) -> Any:
        """The mechanism that `name` or `name(parameter=value)` names."""
        return choose(text, self[kind], kind)

    def load_plugin(self, path: Path) -> list[type[Mechanism]]:
        """Add the mechanisms of a user's own file, and return them."""
        if not path.is_file():
            raise InputError(f"{path} does not exist; give a Python file with a mechanism.")
        name = f"oratory_plugin_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise InputError(f"{path} is not a Python file.")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except Exception as error:  # whatever is wrong in somebody else's file
            line = next((f.lineno for f in reversed(_frames(error)) if f.filename == spec.origin), None)
            where = f"{path}, line {line}" if line else str(path)
            raise InputError(f"{where}: {type(error).__name__}: {error}") from None
        added = self._add(module)
        if not added:
            raise InputError(
                f"{path} has no mechanism: a dataclass that inherits from Position, Pattern or another kind."
            )
        return added

    def _add(self, module: ModuleType) -> list[type[Mechanism]]:
        added = []
        for cls in vars(module).values():
            own = inspect.isclass(cls) and issubclass(cls, Mechanism) and cls.__module__ == module.__name__
            if own and not cls.__name__.startswith("_"):
                self._found[cls.kind][name_of(cls)] = cls
                added.append(cls)
        return added


def _frames(error: BaseException) -> list[Any]:
    import traceback

    frames = list(traceback.extract_tb(error.__traceback__))
    if isinstance(error, SyntaxError):
        frames.append(traceback.FrameSummary(error.filename or "", error.lineno or 0, ""))
    return frames


REGISTRY = Registry()


def written_as(mechanism: Mechanism) -> str:
    """The mechanism as a setting: the text that `Registry.choose` reads back."""
    return written(mechanism, name_of(type(mechanism)))


@dataclass(frozen=True)
class Entry:
    """One mechanism, for help and records."""

    name: str
    about: str
    paper: str
    parameters: list[Parameter]


def describe(cls: type[Mechanism]) -> Entry:
    """What the help says of a mechanism: its docstring, its paper, and its fields with theirs."""
    return Entry(name_of(cls), about(cls), cls.paper, parameters_of(cls))
