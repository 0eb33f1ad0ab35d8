"""Checkpoints that are whole or do not count.

A checkpoint is a folder with tensors, facts, and a manifest of checksums that is written last. One that was cut short
or changed is refused by name, and the one before it is used.
"""

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from oratory.errors import InputError
from oratory.files import read_bytes, write_bytes, write_text

TENSORS, FACTS, MANIFEST = "state.safetensors", "state.json", "manifest.json"
KEPT = 2
"""Checkpoints of a run that are kept, so that there is one before a damaged one."""


@dataclass(frozen=True)
class Checkpoint:
    """What was read back."""

    path: Path
    tensors: dict[str, Tensor]
    facts: dict[str, Any]


def write_checkpoint(folder: Path, step: int, tensors: dict[str, Tensor], facts: dict[str, Any]) -> Path:
    """Write the checkpoint of a step, and remove those that are too old."""
    path = folder / f"step-{step:09d}"
    shutil.rmtree(path, ignore_errors=True)
    files = {
        TENSORS: save({name: value.detach().cpu().contiguous() for name, value in tensors.items()}),
        FACTS: json.dumps(facts).encode(),
    }
    for name, content in files.items():
        write_bytes(path / name, content)
    write_text(path / MANIFEST, json.dumps({name: digest(content) for name, content in files.items()}))
    for old in sorted(folder.glob("step-*"))[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return path


def read_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in a folder, or an InputError that says what is wrong with it."""
    manifest = _json(path / MANIFEST)
    content = {name: read_bytes(path / name) for name in (TENSORS, FACTS)}
    for name in content:
        if digest(content[name]) != manifest.get(name):
            raise InputError(f"{path / name} is damaged: its checksum is not that of the manifest.")
    try:
        return Checkpoint(path, load(content[TENSORS]), json.loads(content[FACTS]))
    except (SafetensorError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from None


def latest_checkpoint(folder: Path) -> tuple[Checkpoint | None, list[str]]:
    """The newest checkpoint that is whole, and a sentence for every newer one that is not."""
    remarks: list[str] = []
    for path in sorted(folder.glob("step-*"), reverse=True):
        try:
            return read_checkpoint(path), remarks
        except InputError as error:
            remarks.append(f"A checkpoint is not used: {error}")
    return None, remarks


def digest(content: bytes) -> str:
    """The checksum of a file's content."""
    return hashlib.sha256(content).hexdigest()


def _json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(read_bytes(path))
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}.") from None
    if not isinstance(values, dict):
        raise InputError(f"{path} is damaged: it is not a JSON object.")
    return values
