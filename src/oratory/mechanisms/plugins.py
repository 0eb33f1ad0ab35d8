"""Files with mechanisms of users' own: loading one, what was loaded, and what went wrong in one."""

import importlib.util
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from oratory.errors import InputError
from oratory.files import digest
from oratory.mechanisms.hooks import HOOKS

PREFIX = "oratory_plugin_"


@dataclass(frozen=True)
class Plugin:
    """A file as it was when it was loaded."""

    path: Path
    """Where the user has it; a worker has a copy."""
    content: bytes

    @property
    def sha256(self) -> str:
        """The checksum of its content."""
        return digest(self.content)


_LOADED: dict[str, Plugin] = {}
"""By the name of the module."""


def load_module(path: Path, known_as: Path | None = None) -> ModuleType:
    """The module in a file; `known_as` is where the user has the file, if this one is a copy."""
    if not path.is_file():
        raise InputError(f"{path} does not exist; give a Python file with a mechanism.")
    plugin = Plugin((known_as or path).resolve(), path.read_bytes())
    try:
        plugin.content.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8: {error.reason} at byte {error.start}.") from None
    name = f"{PREFIX}{path.stem}_{digest(str(plugin.path).encode())[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise InputError(f"{path} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        # What runs is what the checksum is of: no bytecode of an earlier content, no second look at the file.
        # A plugin is the user's own code; SECURITY.md says so.
        exec(compile(plugin.content, str(path.resolve()), "exec"), vars(module))  # nosec B102
    except (Exception, SystemExit) as error:  # whatever is wrong in somebody else's file
        sys.modules.pop(name)
        if before is not None:
            sys.modules[name] = before
        line = _line(error, name)
        where = f"{known_as or path}, line {line}" if line else str(known_as or path)
        raise InputError(f"{where}: {_said(error)}") from None
    _LOADED[name] = plugin
    return module


def loaded_plugins() -> list[Plugin]:
    """Every file that was loaded."""
    return list(_LOADED.values())


def plugin_of(cls: type) -> Plugin | None:
    """The file that a mechanism was loaded from; None for one of Oratory's own."""
    return _LOADED.get(cls.__module__)


def blame(error: BaseException) -> str | None:
    """The sentence for an error inside a user's file: where, what, and the shapes of the hook. None for any other."""
    frames = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__) if _name(frame) in _LOADED]
    if not frames:
        return None
    last, line = frames[-1]
    hook = next((HOOKS[name] for frame, _ in frames if (name := frame.f_code.co_name) in HOOKS), None)
    sentence = f"{_LOADED[_name(last)].path}, line {line}: {_said(error)}"
    return f"{sentence.rstrip('.')}." + (f" {hook.expected}" if hook else "")


def _name(frame: object) -> str:
    return str(getattr(frame, "f_globals", {}).get("__name__"))


def _said(error: BaseException) -> str:
    """What was raised, on one line."""
    try:
        said = str(error)
    except Exception:  # an error of the user's own that cannot say what it is
        said = "it has no message"
    return f"{type(error).__name__}: {' '.join(said.split())}"


def _line(error: BaseException, module: str) -> int | None:
    """The line of the module that an error came from."""
    lines = [line for frame, line in traceback.walk_tb(error.__traceback__) if _name(frame) == module]
    return lines[-1] if lines else getattr(error, "lineno", None)
