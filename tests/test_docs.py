"""Everything shown runs: `python` and `bash` blocks of the README and the docs, each file from top to bottom.

Blocks marked `sh` are for a person (`make`, `pip`).
"""

import contextlib
import io
import os
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.program import Program

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(python|bash)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_there_is_something_to_run() -> None:
    kinds = [kind for page in PAGES for kind, _ in BLOCK.findall(page.read_text())]
    assert kinds.count("python") >= 6
    assert kinds.count("bash") >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: Program) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for kind, block in BLOCK.findall(page.read_text()):
        if kind == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, f"{page.name}", "exec"), names)
            continue
        for line in block.splitlines():
            command = shlex.split(line, comments=True)
            assert command[0] == "oratory", f"{page.name} shows a command that is not ours: {line}"
            ran = program(*command[1:], cwd=tmp_path)
            assert ran.returncode == 0, f"{line}\n{ran.stderr}"


def test_links_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("https://"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_no_path_of_a_machine_is_committed() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is not a git checkout")
    for name in listed.stdout.split():
        path = ROOT / name
        if path.suffix in {".py", ".md", ".toml", ".yml", ".html"} and path.is_file():
            assert not re.search(rf"/(?:home|root|Users)/\w|{re.escape(os.sep)}work/", path.read_text()), name
