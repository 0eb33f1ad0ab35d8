"""The one-way flow: a room imports from rooms to its left, never from one to its right."""

import ast
from pathlib import Path

import pytest

import oratory

ROOT = Path(oratory.__file__).parent
ORDER = [
    "text",
    "tokens",
    "batches",
    "mechanisms",
    "model",
    "baselines",
    "statistics",
    "training",
    "runs",
    "exports",
    "execution",
    "comparisons",
    "searches",
    "inspect",
    "reports",
    "recipes",
    "bench",
    "api",
    "web",
    "cli",
]
SHARED = {"arrays", "discovery", "errors", "files", "ids", "pictures", "records", "seeds", "settings", "tables"}
"""Modules beside the rooms that every room may use; they use no room."""


def imported(path: Path) -> set[str]:
    """What a file imports from Oratory: rooms and shared modules, wherever in the file the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports by a relative name"
            names = [node.module or ""]
            if node.module == "oratory":
                names = [f"oratory.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("oratory.")}
    return found - {"__version__"}


def wrong_way(room: str, uses: set[str]) -> set[str]:
    """The imports that go against the flow."""
    allowed = SHARED | (set() if room in SHARED else {room, *ORDER[: ORDER.index(room)]})
    return uses - allowed


FILES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT or path.stem in SHARED)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0].removesuffix(".py")
    assert not wrong_way(room, imported(path))


def test_every_room_has_its_place() -> None:
    rooms = {path.name for path in ROOT.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert rooms <= set(ORDER)
    assert {path.stem for path in ROOT.glob("*.py")} == SHARED | {"__init__", "__main__"}


def test_a_wrong_import_is_caught(tmp_path: Path) -> None:
    for line in ("from oratory.reports import html", "import oratory.cli", "from oratory import baselines"):
        (tmp_path / "wrong.py").write_text(f"def late() -> None:\n    {line}\n")
        assert wrong_way("text", imported(tmp_path / "wrong.py"))
        assert wrong_way("errors", imported(tmp_path / "wrong.py"))
    (tmp_path / "right.py").write_text("from oratory.text import Corpus\nfrom oratory.errors import InputError\n")
    assert not wrong_way("tokens", imported(tmp_path / "right.py"))
