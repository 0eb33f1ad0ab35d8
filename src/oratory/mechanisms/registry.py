"""Finding mechanisms: by being in the folder of their kind, or in a user's own file."""

import inspect
import pkgutil
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from oratory.errors import InputError, unknown
from oratory.mechanisms.kinds import KINDS, Mechanism
from oratory.mechanisms.plugins import load_module, plugin_of
from oratory.mechanisms.unloaded import kebab, stand_in
from oratory.settings import Parameter, about, choose, parameters_of, written

_FOLDER = "oratory.mechanisms"


def name_of(cls: type[Mechanism]) -> str:
    """The name on the command line: `AlibiRope` is `alibi-rope`, unless the class says otherwise."""
    return cls.name or kebab(cls.__name__)


class Registry:
    """The mechanisms at hand, by kind and name. They are loaded when one is first asked for: they need torch."""

    def __init__(self) -> None:
        self._loaded: dict[str, dict[str, type[Mechanism]]] | None = None

    def __getitem__(self, kind: str) -> dict[str, type[Mechanism]]:
        check_kind(kind)
        return self._found[kind]

    def names(self, kind: str) -> list[str]:
        """The names of the mechanisms of a kind. Those of Oratory are the names of their files, so none is loaded."""
        if self._loaded is not None:
            return list(self._loaded[kind])
        return [module.replace("_", "-") for module in _modules(kind)]

    def check_text(self, kind: str, text: str) -> None:
        """Refuse a name or a parameter that no mechanism has, before any is loaded."""
        if self._loaded is not None:
            self.choose(kind, text)
            return
        name = text.strip().partition("(")[0]
        if name not in self.names(kind):
            raise unknown(kind, name, self.names(kind))
        choose(text, {name: stand_in(f"{_FOLDER}.{kind}.{name.replace('-', '_')}")}, kind)

    @property
    def _found(self) -> dict[str, dict[str, type[Mechanism]]]:
        if self._loaded is None:
            self._loaded = {kind: {} for kind in KINDS}
            for kind in KINDS:
                for module in _modules(kind):
                    self._add(import_module(f"{_FOLDER}.{kind}.{module}"))
        return self._loaded

    def choose(self, kind: str, text: str) -> Any:
        """The mechanism that `name` or `name(parameter=value)` names."""
        return choose(text, self[kind], kind)

    def load_plugin(self, path: Path, known_as: Path | None = None) -> list[type[Mechanism]]:
        """Add the mechanisms of a user's own file, and return them; loading a file again replaces its mechanisms.

        `known_as` is where the user has the file, if this one is a copy.
        """
        module = load_module(path, known_as)
        added = self._add(module, path)
        if not added:
            raise InputError(
                f"{path} has no mechanism: a dataclass that inherits from Position, Pattern or another kind."
            )
        return added

    def _add(self, module: ModuleType, path: Path | None = None) -> list[type[Mechanism]]:
        """Add the mechanisms of a module, all or none."""
        found = {kind: _without(classes, module) for kind, classes in self._found.items()}
        added = _mechanisms_in(module)
        for cls in added:
            if getattr(cls, "kind", "") not in found:
                raise InputError(f"{path}: {cls.__name__} must inherit from one of the kinds: {', '.join(KINDS)}.")
            name = name_of(cls)
            if name in found[cls.kind]:
                raise InputError(
                    f"{path}: the class {cls.__name__} would take the name {cls.kind}={name} from "
                    f"{_described(found[cls.kind][name])}; give the class another name."
                )
            found[cls.kind][name] = cls
        self._loaded = found
        return added


def _modules(kind: str) -> list[str]:
    """The files of Oratory's own mechanisms of a kind."""
    return [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent / kind)])]


def _mechanisms_in(module: ModuleType) -> list[type[Mechanism]]:
    """The mechanisms that a module defines; names with an underscore are private."""
    classes = list(dict.fromkeys(filter(inspect.isclass, vars(module).values())))
    own = [cls for cls in classes if issubclass(cls, Mechanism) and cls.__module__ == module.__name__]
    return [cls for cls in own if not cls.__name__.startswith("_")]


def _without(classes: dict[str, type[Mechanism]], module: ModuleType) -> dict[str, type[Mechanism]]:
    return {name: cls for name, cls in classes.items() if cls.__module__ != module.__name__}


def _described(cls: type[Mechanism]) -> str:
    """A mechanism and where it is defined, for an error."""
    plugin = plugin_of(cls)
    where = "built in" if plugin is None else str(plugin.path)
    return f"the class {cls.__name__} ({where})"


def check_kind(kind: str) -> None:
    """Refuse a kind of mechanism that there is not."""
    if kind not in KINDS:
        raise unknown("kind of mechanism", kind, KINDS)


REGISTRY = Registry()


def written_as(mechanism: Mechanism) -> str:
    """The mechanism as a setting: the text that `Registry.choose` reads back."""
    return written(mechanism, name_of(type(mechanism)))


@dataclass(frozen=True)
class MechanismFacts:
    """One mechanism, for help and records."""

    name: str
    about: str
    paper: str
    parameters: list[Parameter]


def describe(cls: type[Mechanism]) -> MechanismFacts:
    """What the help says of a mechanism: its docstring, its paper, and its fields with theirs."""
    return MechanismFacts(name_of(cls), about(cls), cls.paper, parameters_of(cls))
