"""The users' own mechanisms that a run was trained with, and whether those that are loaded are the same."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from oratory.errors import InputError
from oratory.files import digest
from oratory.mechanisms.plugins import Plugin, loaded_plugins

PLUGINS = "plugins"
"""Where the folder of a run keeps copies."""


@dataclass(frozen=True)
class PluginFile:
    """A file with mechanisms that are not Oratory's own."""

    name: str
    sha256: str
    path: str | None = None
    """Where it was; a plugin is the same wherever its file is."""

    @classmethod
    def of(cls, plugin: Plugin) -> "PluginFile":
        """A file that is loaded."""
        return cls(plugin.path.name, plugin.sha256, str(plugin.path))

    def identity(self) -> dict[str, str]:
        """What makes it this plugin and no other."""
        return {"name": self.name, "sha256": self.sha256}

    @property
    def copy(self) -> str:
        """Where the folder of a run keeps it."""
        return f"{PLUGINS}/{self.sha256[:12]}/{self.name}"


class WithPlugins(Protocol):
    """What is known of a run."""

    @property
    def id(self) -> str: ...
    @property
    def plugins(self) -> tuple[PluginFile, ...]: ...


def check_used(record: WithPlugins, folder: Path, used: Iterable[Plugin]) -> None:
    """Refuse to build the model of a run from other files than it was trained with."""
    known = {plugin.sha256: plugin for plugin in used}
    for recorded in record.plugins:
        if recorded.sha256 not in known:
            raise _changed(record, folder, recorded, list(known.values()))
    recorded_sums = {recorded.sha256 for recorded in record.plugins}
    foreign = next((plugin for sha256, plugin in known.items() if sha256 not in recorded_sums), None)
    if foreign is not None:
        raise InputError(f"The run {record.id} was trained without {foreign.path}; leave this --plugin out.")


def check_loaded(record: WithPlugins, folder: Path) -> None:
    """Refuse a loaded file that is called like one of the run's and has another content."""
    for recorded in record.plugins:
        called = [plugin for plugin in loaded_plugins() if plugin.path.name == recorded.name]
        if called and recorded.sha256 not in {plugin.sha256 for plugin in called}:
            raise _changed(record, folder, recorded, called)


def _changed(record: WithPlugins, folder: Path, recorded: PluginFile, known: list[Plugin]) -> InputError:
    """Which file changed, and how to get the recorded one.

    The folder of a run has a copy of each file. It is never loaded by itself: only a user can know who wrote it.
    """
    other = next((plugin for plugin in known if plugin.path.name == recorded.name), None)
    now = f"{other.path} has another content now" if other else "that file is not loaded"
    copy = folder / recorded.copy
    if copy.is_file() and digest(copy.read_bytes()) == recorded.sha256:
        way = f"The run keeps a copy; if you trust it, say --plugin {copy}"
    else:
        way = "Bring that content back and name its file with --plugin, or train the run again."
    return InputError(
        f"The run {record.id} was trained with {recorded.name} as it was then (sha256 {recorded.sha256[:12]}), and "
        f"{now}. {way}"
    )
