"""Encoded texts and trained tokenizers in the cache, each behind a checksum; large arrays are mapped, and not read.

An entry of encoded texts is a safetensors file after its checksum.
"""

import dataclasses
import hashlib
import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.arrays import LARGE, blocks, mapped, release
from oratory.errors import InputError
from oratory.files import sync_folder, write_bytes
from oratory.tokens.encoded import Encoded

DIGEST = hashlib.sha256().digest_size
HEADER = 8
"""Bytes that say how long the header of a safetensors file is."""
AT_ONCE = 4 << 20
"""Bytes that are read or written at once."""

_TYPES: dict[str, np.dtype[Any]] = {"I32": np.dtype("<i4"), "I64": np.dtype("<i8")}
_FIELDS = [field.name for field in dataclasses.fields(Encoded)]


def read_encoded(path: Path, names: Iterable[str]) -> dict[str, Encoded] | None:
    """Encoded texts by name; None where the file is not there, or not whole."""
    try:
        with path.open("rb") as file:
            digest, hashed = file.read(DIGEST), hashlib.sha256()
            while content := file.read(AT_ONCE):
                hashed.update(content)
            if hashed.digest() != digest:
                return None
            arrays = dict(_arrays(file, path.stat().st_size >= LARGE))
        return {name: Encoded(**{field: arrays[f"{name}/{field}"] for field in _FIELDS}) for name in names}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _arrays(file: Any, large: bool) -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays of a file: mapped from a large one, else read."""
    file.seek(DIGEST)
    size = int.from_bytes(file.read(HEADER), "little")
    header = json.loads(file.read(size))
    for name, about in header.items():
        if name == "__metadata__":
            continue
        begin, end = about["data_offsets"]
        dtype, at = _TYPES[about["dtype"]], DIGEST + HEADER + size + begin
        count = (end - begin) // dtype.itemsize
        if large and count:
            yield name, mapped(file, dtype, count, at, read_only=True)
        else:
            file.seek(at)
            yield name, np.frombuffer(file.read(end - begin), dtype)


def write_encoded(path: Path, encoded: Mapping[str, Encoded]) -> None:
    """Write encoded texts whole or not at all; a cache that cannot be written costs time and nothing else."""
    arrays = {f"{name}/{field}": getattr(part, field) for name, part in encoded.items() for field in _FIELDS}
    # Longer numbers first, so that all of them are where a processor can read them at once.
    order = sorted(arrays, key=lambda name: (-arrays[name].itemsize, name))
    about, end = {}, 0
    for name in order:
        begin, end = end, end + arrays[name].nbytes
        kind = "I64" if arrays[name].itemsize == 8 else "I32"
        about[name] = {"dtype": kind, "shape": [len(arrays[name])], "data_offsets": [begin, end]}
    header = json.dumps(about, separators=(",", ":")).encode()
    header += b" " * (-len(header) % HEADER)
    with suppress(OSError):
        _write(path, [len(header).to_bytes(HEADER, "little"), header], [arrays[name] for name in order])


def _write(path: Path, before: Iterable[bytes], arrays: Iterable[NDArray[Any]]) -> None:
    """As `files.write_bytes`, piece by piece."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    hashed = hashlib.sha256()
    try:
        with temporary.open("xb") as file:
            file.write(bytes(DIGEST))
            for content in _pieces(before, arrays):
                hashed.update(content)
                file.write(content)
            file.seek(0)
            file.write(hashed.digest())
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def _pieces(before: Iterable[bytes], arrays: Iterable[NDArray[Any]]) -> Iterator[bytes]:
    yield from before
    for each in arrays:
        for part in blocks(len(each)):
            yield each[part].tobytes()
            release(each)


def read_kept(path: Path) -> bytes | None:
    """The content of an entry; None where it is not there, or not whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    whole = hashlib.sha256(content[DIGEST:]).digest() == content[:DIGEST]
    return content[DIGEST:] if whole else None


def write_kept(path: Path, content: bytes) -> None:
    """Write an entry, if the cache can be written."""
    with suppress(InputError):
        write_bytes(path, hashlib.sha256(content).digest() + content)
