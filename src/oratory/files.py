"""Reading files that people hand us, and writing files that are either whole or not there."""

import hashlib
import os
import secrets
import stat
from pathlib import Path

from oratory.errors import InputError

LONGEST_LINE = 1_000_000
"""Characters in a line; beyond it the file is not line by line text, and is refused."""


def exists(path: Path) -> bool:
    """Whether there is something at a path, as far as we can tell."""
    try:
        return path.exists()
    except OSError:
        return False


def read_bytes(path: Path) -> bytes:
    """The content of a regular file, or an InputError that says why not."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InputError(f"{path} is a folder; a file was expected there.")
        if not stat.S_ISREG(mode):
            raise InputError(f"{path} is not a regular file.")
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except PermissionError:
        raise InputError(f"{path} may not be read: no permission.") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    if not content:
        raise InputError(f"{path} is empty.")
    return content


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, without byte order mark and with `\\n` line ends only."""
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # Before the error the decoder has skipped the byte order mark, so offsets count from after it.
        offset = error.start + (len(content) - len(error.object))
        line = content.count(b"\n", 0, offset) + 1
        raise InputError(
            f"{path}, line {line}: byte 0x{content[offset]:02X} at offset {offset} is not UTF-8; "
            "save the file as UTF-8."
        ) from None
    text = text.replace("\r\n", "\n")
    nul = text.find("\0")
    if nul >= 0:
        line = text.count("\n", 0, nul) + 1
        raise InputError(f"{path}, line {line}: a NUL byte; this is not a text file.")
    for number, content_line in enumerate(text.split("\n"), 1):
        if len(content_line) > LONGEST_LINE:
            raise InputError(
                f"{path}, line {number}: {len(content_line):,} characters in one line; "
                f"at most {LONGEST_LINE:,} are read. Put one text on a line."
            )
    return text


def read_lines(path: Path) -> list[tuple[int, str]]:
    """The lines that are not blank, each with its number from 1."""
    lines = [(n, line) for n, line in enumerate(read_text(path).split("\n"), 1) if line.strip()]
    if not lines:
        raise InputError(f"{path} holds no text: every line is blank.")
    return lines


def digest(content: bytes) -> str:
    """The checksum of a file's content."""
    return hashlib.sha256(content).hexdigest()


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
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None


def write_text(path: Path, text: str) -> None:
    """`write_bytes` for text, in UTF-8."""
    write_bytes(path, text.encode("utf-8"))
