"""Write `docs/reference/licences.md`: every library that is installed here. `make licences` runs it."""

import json
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "licences.md"
HEAD = """\
# Licences

Oratory itself is under the MIT licence. These are the libraries that `pip` installs for it, with what they say of
their licence; many are for tests, docs and linters only. `make licences` writes this page from what is installed.

| library | version | licence |
|---|---|---|
"""
LONGEST = 70


def _row(found: dict[str, str]) -> str:
    """One library. Some have the whole text of a licence in place of its name, of which the first line is shown."""
    licence = re.split(r"[\n\r]", found["License"].strip())[0].replace("|", "\\|")
    shown = licence if len(licence) <= LONGEST else f"{licence[:LONGEST]}…"
    return f"| {found['Name']} | {found['Version'].partition('+')[0]} | {shown} |\n"


def main() -> None:
    python = [f"--python={sys.executable}"]
    command = [sys.executable, "-m", "piplicenses", "--format=json", "--with-system", "--ignore-packages", "oratory"]
    listed = json.loads(subprocess.run([*command, *python], capture_output=True, text=True, check=True).stdout)
    PAGE.write_text(HEAD + "".join(map(_row, sorted(listed, key=lambda found: found["Name"].casefold()))))


if __name__ == "__main__":
    main()
