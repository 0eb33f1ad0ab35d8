"""Write `requirements/ci.txt`: what is installed here, with the checksums of all its files. `make lock` runs it.

The index says the checksum of each file. pip-tools would download every file for every system to work it out again
where the index is a mirror, which is gigabytes; a file without a checksum is still downloaded.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from pip._internal.models.link import Link
from piptools.repositories.pypi import PyPIRepository
from piptools.scripts.compile import cli

FOLDER = Path(__file__).parent
HEAD = """\
# Made by `make lock`. Everything that CI installs, with checksums of the files for every system.
# torch is not here: its CPU builds come from an index of PyTorch's own, and their checksums differ from those of the
# builds of the same version elsewhere. `make locked` installs it first (here it was {torch}), and then this, without
# dependencies.
"""
OPTIONS = ("--generate-hashes", "--strip-extras", "--no-header", "--no-annotate", "--resolver=backtracking", "--quiet")
NOT_OURS = ("--no-emit-index-url", "--no-emit-find-links", "--no-emit-trusted-host")
EXTRAS = ("test", "lint", "docs", "security")

_computed = PyPIRepository._get_file_hash


def _said(self: PyPIRepository, link: Link) -> str:
    """The checksum that the index says, or else that of the file."""
    return f"sha256:{link.hash}" if link.hash_name == "sha256" else str(_computed(self, link))


def _is_locked(entry: str) -> bool:
    """Whether lines that belong together are a package with its checksums, and neither Oratory itself nor a remark."""
    return "==" in entry and not entry.startswith("#")


def main() -> None:
    freeze = [sys.executable, "-m", "pip", "freeze", "--exclude-editable"]
    installed = subprocess.run(freeze, capture_output=True, text=True, check=True).stdout.splitlines()
    pinned = [line for line in installed if "==" in line]
    torch = next(line for line in pinned if line.startswith("torch=="))
    PyPIRepository._get_file_hash = _said
    with tempfile.TemporaryDirectory() as made:
        constraints, lock = Path(made, "installed.txt"), Path(made, "ci.txt")
        constraints.write_text("\n".join(pinned))
        extras = [word for extra in EXTRAS for word in ("--extra", extra)]
        files = ["--constraint", str(constraints), "--output-file", str(lock), str(FOLDER.parent / "pyproject.toml")]
        cli.main([*OPTIONS, *NOT_OURS, "--unsafe-package", "torch", *extras, *files], standalone_mode=False)
        locked = "\n".join(filter(_is_locked, re.split(r"\n(?! )", lock.read_text())))
        (FOLDER / "ci.txt").write_text(HEAD.format(torch=torch.partition("+")[0]) + locked + "\n")


if __name__ == "__main__":
    main()
