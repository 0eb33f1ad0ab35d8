"""Arrays that may be larger than memory: a large one is a mapped file without a name, which goes when it is let go of.

What is mapped is read and written like any other array. The system keeps as much of it in memory as there is room for;
`release` gives that back at once, so that a pass over a large array does not leave all of it in memory.
"""

import mmap
import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from oratory.errors import InputError
from oratory.files import cache_folder

LARGE = 64 << 20
"""Bytes from which on an array is in a file."""
AT_ONCE = 1 << 22
"""Elements of a large array that are looked at together."""

N = TypeVar("N", bound=np.generic)


def empty(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """An array whose values are still to be written."""
    wanted = size * np.dtype(dtype).itemsize
    if wanted < LARGE:
        return np.empty(size, dtype)
    with _file() as file:
        try:
            # All of it at once: a full disk is an error here, and would end the process later.
            os.posix_fallocate(file.fileno(), 0, wanted)
        except OSError as error:
            raise _no_room(error) from None
        return mapped(file, dtype, size)


def zeros(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """An array of zeros, which a new file has anyway."""
    return np.zeros(size, dtype) if size * np.dtype(dtype).itemsize < LARGE else empty(size, dtype)


def mapped(file: Any, dtype: DTypeLike, size: int, offset: int = 0, *, read_only: bool = False) -> NDArray[Any]:
    """A part of an open file as an array; it stays when the file is closed."""
    # A plain array is quicker to cut than np.memmap, and looks at the same bytes.
    return np.asarray(np.memmap(file, dtype, "r" if read_only else "r+", offset, (size,)))


def release(*arrays: NDArray[Any]) -> None:
    """Give back the memory of mapped arrays; what was written stays in their files. Others are left as they are."""
    for each in arrays:
        base: Any = each
        while base is not None and not isinstance(base, mmap.mmap):
            base = getattr(base, "base", None)
        if base is not None:
            with suppress(AttributeError, OSError):  # Not every system can; then it takes the memory when it needs it.
                base.madvise(mmap.MADV_DONTNEED)


def blocks(size: int, at_once: int | None = None) -> Iterator[slice]:
    """Slices that cover so many elements, one after the other."""
    step = at_once or AT_ONCE
    return (slice(start, min(start + step, size)) for start in range(0, size, step))


class Growing:
    """An array that grows at its end; beyond a size it is in a file."""

    def __init__(self, code: str) -> None:
        self._recent = array(code)
        self._file: Any = None
        self._size = 0

    def extend(self, values: Iterable[int] | NDArray[np.integer]) -> None:
        if isinstance(values, np.ndarray):
            self._recent.frombytes(values.astype(self._recent.typecode, copy=False).tobytes())
        else:
            self._recent.extend(values)
        if self._recent.itemsize * len(self._recent) >= LARGE:
            self._write()

    def append(self, value: int) -> None:
        self._recent.append(value)

    def __len__(self) -> int:
        return self._size + len(self._recent)

    def _write(self) -> None:
        self._file = self._file or _file()
        try:
            self._recent.tofile(self._file)
        except OSError as error:
            raise _no_room(error) from None
        self._size += len(self._recent)
        self._recent = array(self._recent.typecode)

    def done(self) -> NDArray[Any]:
        """The whole array."""
        dtype = np.dtype(self._recent.typecode)
        if self._file is None:
            return np.frombuffer(self._recent, dtype)
        self._write()
        with self._file as file:
            file.flush()
            return mapped(file, dtype, self._size)


def _file() -> Any:
    """A new file without a name. The cache is on a disk, which folders for temporary files are not everywhere."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryFile(dir=folder)
    except OSError:
        return tempfile.TemporaryFile()


def _no_room(error: OSError) -> InputError:
    return InputError(
        f"What does not fit in memory cannot be written to {cache_folder()}: {error.strerror}. Make room there, or "
        "name another folder in ORATORY_CACHE."
    )
