"""The lines of a large file, which stay in it: only where they begin and end is kept, and they are read as needed."""

import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from oratory.errors import InputError
from oratory.files import check_regular, read_places, unreadable
from oratory.text.normal import one_line

LARGE = 64 << 20
"""Bytes of a file from which on its lines stay there. In memory, short lines take about 1.6 times their bytes."""
BLOCK = 4 << 20
"""Bytes that are read at once."""

T = TypeVar("T")
Indices = Sequence[int] | NDArray[np.integer]


class Texts(Sequence[str]):
    """Texts that are equal to a tuple, or to any other sequence, of the same ones."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(ours == theirs for ours, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class FileLines(Texts):
    """Lines of a file, in the order in which they were picked. A file that changes meanwhile is refused."""

    def __init__(self, path: Path, starts: NDArray[np.int64], ends: NDArray[np.int64], stamp: tuple[int, ...]) -> None:
        self.path, self.starts, self.ends, self.stamp = path, starts, ends, stamp
        self._ordered = bool((starts[1:] >= ends[:-1]).all())

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> "FileLines": ...
    def __getitem__(self, index: int | slice) -> "str | FileLines":
        if isinstance(index, slice):
            return self.pick(np.arange(len(self))[index])
        start, end = int(self.starts[index]), int(self.ends[index])
        with self._opened() as file:
            return _line(os.pread(file, end - start, start))

    def __iter__(self) -> Iterator[str]:
        with self._opened() as file:
            first = 0
            while first < len(self):
                begin = int(self.starts[first])
                last = int(np.searchsorted(self.ends, begin + BLOCK, side="right")) if self._ordered else 0
                last = max(first + 1, last)
                ends = (self.ends[first:last] - begin).tolist()
                content = os.pread(file, ends[-1], begin)
                for start, end in zip((self.starts[first:last] - begin).tolist(), ends, strict=True):
                    yield _line(content[start:end])
                first = last

    def pick(self, indices: Indices) -> "FileLines":
        """Some of the lines."""
        chosen = np.asarray(indices, np.int64)
        return FileLines(self.path, self.starts[chosen], self.ends[chosen], self.stamp)

    @contextmanager
    def _opened(self) -> Iterator[int]:
        try:
            file = os.open(self.path, os.O_RDONLY)
        except OSError as error:
            raise unreadable(self.path, error) from None
        try:
            if _stamp(os.fstat(file)) != self.stamp:
                raise InputError(f"{self.path} has changed since it was read; run the command again.")
            yield file
        finally:
            os.close(file)


class JoinedTexts(Texts):
    """Several sequences of texts, one after the other."""

    def __init__(self, *parts: Sequence[str]) -> None:
        self.parts = parts

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self.parts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(len(self))[index])
        at = range(len(self))[index]
        for part in self.parts:
            if at < len(part):
                return part[at]
            at -= len(part)
        raise IndexError(index)


def is_large(path: Path) -> bool:
    """Whether the lines of a file should stay there."""
    try:
        return path.stat().st_size >= LARGE
    except OSError:
        return False  # Which reading it says better.


def file_lines(path: Path, note: Callable[[int, bytes, str], int] | None = None) -> FileLines:
    """The lines of a file that are not blank, after all of them were checked.

    `note` is told the number, bytes and text of each one, and says how many of its first bytes are not to be kept.
    """
    stamp = _stamp(check_regular(path).stat())
    starts, ends = array("q"), array("q")
    for number, offset, raw, line in read_places(path):
        starts.append(offset + (note(number, raw, line) if note else 0))
        ends.append(offset + len(raw))
    found = FileLines(path.resolve(), np.frombuffer(starts, np.int64), np.frombuffer(ends, np.int64), stamp)
    with found._opened():  # It may have changed while it was read.
        return found


def picked(values: Sequence[T], indices: Indices) -> Sequence[T]:
    """Some of the values; none where there are none."""
    if isinstance(values, FileLines):
        return values.pick(indices)  # type: ignore[return-value]
    return tuple(values[index] for index in indices) if values else ()


def in_parts(texts: Iterable[str], size: int = 10_000) -> Iterator[list[str]]:
    """Lists of so many texts, one after the other."""
    some: list[str] = []
    for text in texts:
        some.append(text)
        if len(some) == size:
            yield some
            some = []
    if some:
        yield some


def _line(content: bytes) -> str:
    return one_line(content.decode())


def _stamp(found: os.stat_result) -> tuple[int, ...]:
    return found.st_mtime_ns, found.st_size, found.st_ino
