import errno
import os
from pathlib import Path

import numpy as np
import pytest

from oratory import arrays
from oratory.arrays import Growing, blocks, empty, release, zeros
from oratory.errors import InputError


@pytest.fixture(autouse=True)
def _small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORATORY_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(arrays, "LARGE", 64)


@pytest.mark.parametrize("size", [0, 3, 8, 1000])
def test_what_is_written_stays(size: int, tmp_path: Path) -> None:
    made = empty(size, np.int64)
    made[:] = np.arange(size)
    release(made, made[2:5])
    np.testing.assert_array_equal(made, np.arange(size))
    assert not zeros(size, np.int32).any()
    assert not list(tmp_path.rglob("*.*"))  # Files without a name leave nothing behind.


def test_growing() -> None:
    grown = Growing("i")
    expected: list[int] = []
    for count in (1, 5, 30, 0, 200):
        values = list(range(count))
        grown.extend(values if count % 2 else np.array(values, np.int64))
        grown.append(-1)
        expected += [*values, -1]
        assert len(grown) == len(expected)
    found = grown.done()
    assert found.dtype == np.int32
    assert found.tolist() == expected


def test_blocks_cover_everything() -> None:
    assert [list(range(10))[part] for part in blocks(10, 4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert list(blocks(0)) == []


def test_a_full_disk_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match="No space left"):
        empty(1000, np.int64)
