"""The help of every command."""

from pathlib import Path

import pytest

from oratory.cli import PANELS, command_line
from oratory.errors import LISTED, unknown
from tests.program import Program


def names() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()]
    for name, command in command_line().commands.items():
        found += [(name,), *((name, inner) for inner in getattr(command, "commands", {}))]
    return found


def test_h_is_help_and_says_no_type_of_a_switch(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in names():
        short, long = program(*words, "-h", cwd=tmp_path), program(*words, "--help", cwd=tmp_path)
        assert short.returncode == 0, words
        assert short.stdout == long.stdout
        for word in ("<bool>", "<str>", "list[", "]...]..."):
            assert word not in short.stdout, words
        assert max(map(len, short.stdout.splitlines())) <= 80


def test_commands_are_in_groups_and_the_first_is_where_to_start(program: Program, tmp_path: Path) -> None:
    shown = program("-h", cwd=tmp_path).stdout
    places = [shown.index(f"─ {panel} ─") for panel in PANELS]
    assert places == sorted(places)
    assert places[0] < shown.index(" demo ") < places[1]


def test_paragraphs_of_the_help_wrap(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.strip() for line in program("compare", "-h", cwd=tmp_path).stdout.splitlines()]
    start = next(at for at, line in enumerate(lines) if line.startswith("All variants share"))
    paragraph = lines[start : lines.index("", start)]
    assert min(map(len, paragraph[:-1])) > 60


def test_of_many_names_only_the_nearest_are_said() -> None:
    many = [f"name{number}" for number in range(LISTED + 1)]
    assert str(unknown("thing", "nam1", many)).startswith("There is no thing 'nam1'. Did you mean 'name1'? The nearest")
    assert len(str(unknown("thing", "nam1", many))) < 120
    assert str(unknown("thing", "qqq", many)).endswith(" There are 21, such as name0, name1, name10, name11, name12.")
    assert "Known: " in str(unknown("thing", "nam1", many[:LISTED]))
