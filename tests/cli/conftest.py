"""Running the real program, as a user does."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def oratory(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """`oratory ...` in an empty folder; what it leaves there can be looked at through `run.cwd`."""
    home = tmp_path_factory.mktemp("here")

    def run(*arguments: str | Path, cwd: Path = home) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "oratory", *map(str, arguments)]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)

    return run


def result(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The JSON document on stdout; there must be nothing else, and no complaint."""
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert isinstance(found, dict)
    return found
