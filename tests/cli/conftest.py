"""Running the real program, as a user does."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def oratory(tmp_path_factory: pytest.TempPathFactory, program: Program) -> Run:
    """`oratory ...` in an empty folder."""
    home = tmp_path_factory.mktemp("here")

    def run(*arguments: str | Path, cwd: Path = home) -> subprocess.CompletedProcess[str]:
        return program(*arguments, cwd=cwd)

    return run


def result(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON document on stdout; there must be nothing else, and no complaint."""
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert isinstance(found, dict)
    return found
