"""Checkpoints that are whole or do not count.

A checkpoint is a folder with tensors, facts, and a manifest of checksums that is written last; the folder gets its name
when all of it is on the disk. One that was cut short or changed is refused by name, and the one before it is used.
"""

import json
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from oratory.errors import InputError
from oratory.files import digest, read_bytes, read_object, sync_folder, write_bytes, write_text

TENSORS, FACTS, MANIFEST = "state.safetensors", "state.json", "manifest.json"
OF_MODEL = "model."
"""How the names of the model's values begin, among all that training changes."""
KEPT = 2
"""Checkpoints of a run that are kept, so that there is one before a damaged one."""


@dataclass(frozen=True)
class Checkpoint:
    """What was read back."""

    path: Path
    tensors: dict[str, Tensor]
    facts: dict[str, Any]

    @property
    def model(self) -> dict[str, Tensor]:
        """The values of the model."""
        return {name.removeprefix(OF_MODEL): value for name, value in self.tensors.items() if name.startswith(OF_MODEL)}


def write_checkpoint(
    folder: Path, step: int, tensors: dict[str, Tensor], facts: dict[str, Any], refused: Collection[Path] = ()
) -> Path:
    """Write the checkpoint of a step; then remove those that are too old, and those that were refused."""
    files = {
        TENSORS: save({name: value.detach().cpu().contiguous() for name, value in tensors.items()}),
        FACTS: json.dumps(facts).encode(),
    }
    manifest = json.dumps({name: digest(content) for name, content in files.items()})
    path = _free(folder, step)
    unfinished = folder / f".{path.name}"
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        for name, content in files.items():
            write_bytes(unfinished / name, content)
        write_text(unfinished / MANIFEST, manifest)
        unfinished.rename(path)
        for changed in (folder, folder.parent):
            sync_folder(changed)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    old = sorted(found for found in folder.glob("step-*") if found not in refused)[:-KEPT]
    for found in {*refused, *old, *folder.glob(".step-*")}:
        shutil.rmtree(found, ignore_errors=True)
    return path


def read_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in a folder, or an InputError that says what is wrong with it."""
    manifest = read_object(path / MANIFEST, "damaged: it is ")
    content = {name: read_bytes(path / name) for name in (TENSORS, FACTS)}
    for name in content:
        if digest(content[name]) != manifest.get(name):
            raise InputError(f"{path / name} is damaged: its checksum is not that of the manifest.")
    try:
        return Checkpoint(path, load(content[TENSORS]), json.loads(content[FACTS]))
    except (SafetensorError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None


def latest_checkpoint(
    folder: Path, check: Callable[[Checkpoint], None] = lambda found: None
) -> tuple[Checkpoint | None, dict[Path, str]]:
    """The newest checkpoint that is whole and passes the check, and a sentence for every newer one."""
    refused: dict[Path, str] = {}
    for path in sorted(folder.glob("step-*"), reverse=True):
        try:
            found = read_checkpoint(path)
            check(found)
        except InputError as error:
            refused[path] = f"A checkpoint is not used: {error}"
        else:
            return found, refused
    return None, refused


def _free(folder: Path, step: int) -> Path:
    """A new name for the checkpoint of a step: a good one is never written over."""
    names = (f"step-{step:09d}" + (f"-{number:03d}" if number else "") for number in count())
    return next(folder / name for name in names if not (folder / name).exists())
