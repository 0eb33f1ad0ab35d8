"""Reading files that people hand us, and writing files that are either whole or not there."""

import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from oratory.errors import InputError

LARGE = 1 << 20
"""Bytes from which on the checksum of a file is remembered."""
LONGEST_LINE = 1_000_000
"""Characters in a line; beyond it the file is not line by line text, and is refused."""


def exists(path: Path) -> bool:
    """Whether there is something at a path, as far as we can tell."""
    try:
        return path.exists()
    except OSError:
        return False


def check_name(path: Path) -> None:
    """Refuse a path that cannot be written down as text: file systems take names of any bytes."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise InputError(f"{ascii(str(path))[1:-1]} has a name that is not UTF-8; rename it.") from None


def check_regular(path: Path) -> Path:
    """The path itself, if a regular file is there; opening a pipe would wait for ever."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise unreadable(path, error) from None
    if stat.S_ISDIR(mode):
        raise InputError(f"{path} is a folder; a file was expected there.")
    if not stat.S_ISREG(mode):
        raise InputError(f"{path} is not a regular file.")
    return path


def unreadable(path: Path, error: OSError) -> InputError:
    """The sentence for a file that cannot be read."""
    if isinstance(error, FileNotFoundError):
        return InputError(f"{path} does not exist.")
    if isinstance(error, PermissionError):
        return InputError(f"{path} may not be read: no permission.")
    return InputError(f"{path} cannot be read: {error.strerror}.")


def cache_folder() -> Path:
    """Where encoded texts and the like are kept; what is in it can be deleted at any time."""
    given = os.environ.get("ORATORY_CACHE")
    return Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "oratory"


def read_bytes(path: Path) -> bytes:
    """The content of a regular file, or an InputError that says why not."""
    try:
        content = check_regular(path).read_bytes()
    except OSError as error:
        raise unreadable(path, error) from None
    if not content:
        raise InputError(f"{path} is empty.")
    return content


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, without byte order mark and with `\\n` line ends only."""
    return "\n".join(every_line(path))


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that are not blank, each with its number from 1, as they are read."""
    return ((number, line) for number, _, _, line in read_places(path))


def read_places(path: Path) -> Iterator[tuple[int, int, bytes, str]]:
    """The lines that are not blank as `read_lines` has them, each with its first byte in the file and all its bytes."""
    blank = True
    for number, offset, raw, line in _every_place(path):
        if line.strip():
            blank = False
            yield number, offset, raw, line
    if blank:
        raise InputError(f"{path} holds no text: every line is blank.")


def every_line(path: Path) -> Iterator[str]:
    """The lines of a UTF-8 file without their ends."""
    ended = False
    for _, _, raw, line in _every_place(path):
        yield line
        ended = raw.endswith(b"\n")
    if ended:
        yield ""


def _every_place(path: Path) -> Iterator[tuple[int, int, bytes, str]]:
    """Number, offset, bytes and text of each line, read one by one: the file is never in memory as a whole."""
    offset = 0
    try:
        with check_regular(path).open("rb") as file:
            for number, raw in enumerate(file, 1):
                yield number, offset, raw, _decoded(path, number, offset, raw)
                offset += len(raw)
    except OSError as error:
        raise unreadable(path, error) from None
    if not offset:
        raise InputError(f"{path} is empty.")


def _decoded(path: Path, number: int, offset: int, raw: bytes) -> str:
    """A line of a file as text, where it is some; the offset is that of its first byte."""
    where = f"{path}, line {number}"
    try:
        line = raw.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"{where}: byte 0x{raw[error.start]:02X} at offset {offset + error.start} is not UTF-8; "
            "save the file as UTF-8."
        ) from None
    if number == 1:
        line = line.removeprefix("\ufeff")
    if line.endswith("\n"):
        line = line[:-1].removesuffix("\r")
    if "\0" in line:
        raise InputError(f"{where}: a NUL byte; this is not a text file.")
    if len(line) > LONGEST_LINE:
        raise InputError(
            f"{where}: {len(line):,} characters in one line; at most {LONGEST_LINE:,} are read. Put one text on a line."
        )
    return line


def read_object(path: Path, fault: str = "") -> dict[str, Any]:
    """The JSON object in a file; `fault` is what to call a file that has none, such as `damaged: it is `."""
    try:
        values = json.loads(read_bytes(path))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is {fault}not a JSON file: {error}.") from None
    if not isinstance(values, dict):
        raise InputError(f"{path} is {fault}not a JSON object.")
    return values


def check_folder(folder: Path) -> Path:
    """Refuse a folder that could not be written to; returns the nearest one that exists. Nothing is written."""
    place = next(near for near in (folder, *folder.absolute().parents) if exists(near))
    if not place.is_dir():
        raise InputError(f"{folder} cannot be written to: {place} is not a folder.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{folder} cannot be written to: no permission in {place}.")
    return place


def digest(content: bytes) -> str:
    """The checksum of a file's content."""
    return hashlib.sha256(content).hexdigest()


_DIGESTS: dict[Path, tuple[int, int, str]] = {}
"""The checksums of large files that were read, each with the time and the size that the file had."""


def digest_of(path: Path) -> str:
    """The checksum of a file. That of a large one is not worked out again before its time or size changes."""
    with suppress(OSError):  # Which reading it says better.
        now = path.stat()
        known = _DIGESTS.get(path)
        if known is not None and known[:2] == (now.st_mtime_ns, now.st_size):
            return known[2]
    found = digest(content := read_bytes(path))
    if len(content) >= LARGE:
        _DIGESTS[path] = (now.st_mtime_ns, now.st_size, found)
    return found


def write_bytes(path: Path, content: bytes) -> None:
    """Write the whole file or nothing: temporary file, flush, fsync, rename, fsync of the folder."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None


def sync_folder(folder: Path) -> None:
    """Make sure that the names in a folder are on the disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def write_text(path: Path, text: str) -> None:
    """`write_bytes` for text, in UTF-8."""
    write_bytes(path, text.encode("utf-8"))
