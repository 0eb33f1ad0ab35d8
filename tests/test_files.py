import os
from pathlib import Path

import pytest

from oratory.errors import InputError
from oratory.files import write_text


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    write_text(path, "one")
    write_text(path, "zwölf")
    assert path.read_text("utf-8") == "zwölf"
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()


def test_when_writing_fails_the_old_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.txt"
    write_text(path, "old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"file.txt cannot be written: No space left on device"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.txt"]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
