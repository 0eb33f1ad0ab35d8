"""What a terminal shows while PyTorch is loaded, which takes seconds: a line that goes away again."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

LINE = "Loading PyTorch ..."
ERASE = "\r\x1b[K"
"""Back to the beginning of the line, and clear it."""


class Loading(MetaPathFinder):
    """Notices that torch is imported, wherever that is. Where stderr is no terminal, it shows nothing."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "torch":
            return None
        # Another list, not this one without us: whoever is asking goes through it, and would miss the next finder.
        sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
        if not sys.stderr.isatty():
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            load: Any = spec.loader.exec_module
            spec.loader.exec_module = lambda module: _shown(load, module)  # type: ignore[method-assign]
        return spec


def _shown(load: Any, module: ModuleType) -> None:
    """Load a module while the line is shown."""
    sys.stderr.write(LINE)
    sys.stderr.flush()
    try:
        load(module)
    finally:
        sys.stderr.write(ERASE)
        sys.stderr.flush()


def announce() -> None:
    """Show what takes long before the first output of a command."""
    if "torch" not in sys.modules:
        sys.meta_path.insert(0, Loading())
