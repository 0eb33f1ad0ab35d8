"""A small corpus with a store beside it, where writing takes no time."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runs.training import quick, write_corpus


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a corpus in it."""
    folder = quick(tmp_path_factory.mktemp("place"))
    write_corpus(folder / "corpus")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def runs(place: Path) -> Iterator[Path]:
    """An empty store."""
    folder = place / "runs"
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
