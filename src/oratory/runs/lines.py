"""Files of JSON lines that grow while a run is trained. Each line carries its own checksum."""

import io
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oratory.errors import InputError

MARK = b', "crc32": '
"""What is before the checksum at the end of a line. Lines of older runs have none."""


@dataclass(frozen=True)
class Lines:
    """What could be read of a file, up to the first line that is damaged."""

    entries: tuple[dict[str, Any], ...]
    size: int
    """Bytes of the lines that were read."""
    damaged: int | None = None
    """The number of the first damaged line, from 1."""


def written_line(entry: Mapping[str, Any]) -> bytes:
    """An entry as a line, with its checksum."""
    text = json.dumps(entry, allow_nan=False).encode()
    return text[:-1] + MARK + str(zlib.crc32(text)).encode() + b"}\n"


def read_lines(path: Path) -> Lines:
    """The entries of a file; none where it is not there. A last line that was cut short is left out."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Lines((), 0)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    entries: list[dict[str, Any]] = []
    size = 0
    for number, (line, entry) in enumerate(_parsed(content), 1):
        if entry is None:
            return Lines(tuple(entries), size, number)
        entries.append(entry)
        size += len(line) + 1
    return Lines(tuple(entries), size)


def last_lines(path: Path, size: int = 4096) -> tuple[dict[str, Any], ...]:
    """The entries in the last bytes of a file that grows; none where it is not there, or is damaged there."""
    try:
        with path.open("rb") as file:
            start = max(0, file.seek(0, io.SEEK_END) - size)
            file.seek(start)
            content = file.read()
    except OSError:
        return ()
    whole = content.partition(b"\n")[2] if start else content
    return tuple(entry for _, entry in _parsed(whole) if entry is not None)


def _parsed(content: bytes) -> Iterator[tuple[bytes, dict[str, Any] | None]]:
    """Every whole line with its entry, None where it is damaged."""
    has_checksums = MARK in content
    for line in content.split(b"\n")[:-1]:
        text, mark, checksum = line.rpartition(MARK)
        if has_checksums and (not mark or checksum != str(zlib.crc32(text + b"}")).encode() + b"}"):
            yield line, None
            continue
        try:
            entry = json.loads(text + b"}" if mark else line)
        except (ValueError, RecursionError):
            entry = None
        yield line, entry if isinstance(entry, dict) and isinstance(entry.get("step"), int) else None
