"""The file that says which lines of a folder belong together, such as the sentences of one address.

A header says what a group and a line are called, as in `file, address, sentence`. Each row has a file, a group, and how
many of the next lines of that file belong to it; columns are separated by tabs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from oratory.errors import InputError, unknown
from oratory.files import read_lines

GROUPS = "groups.tsv"
EXAMPLE = "file, address, sentence"


@dataclass(frozen=True)
class LineGroups:
    """The group of each line, by file; files that are not mentioned have none."""

    of_lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    group: str | None = None
    """What a group is called."""
    item: str = "text"
    """What a line is called."""

    def rows(self) -> list[str]:
        """The lines of the file."""
        rows = [
            f"{name}\t{group}\t{len(list(run))}" for name, of in self.of_lines.items() for group, run in groupby(of)
        ]
        return [f"file\t{self.group}\t{self.item}", *rows]


def read_groups(path: Path, lines: Mapping[str, int]) -> LineGroups:
    """The groups that a file says, given how many lines each file of the folder has."""
    (_, header), *rows = [(number, [cell.strip() for cell in line.split("\t")]) for number, line in read_lines(path)]
    if len(header) != 3 or header[0] != "file" or not all(header):
        raise InputError(
            f"{path}, line 1: the header has three columns: the word file, what a group is called, and what a line is "
            f"called, such as {EXAMPLE}, with tabs between."
        )
    found: dict[str, list[str]] = {}
    for number, cells in rows:
        name, group, count = _checked(cells, f"{path}, line {number}", lines)
        found.setdefault(name, []).extend([group] * count)
    for name, of_lines in found.items():
        if len(of_lines) != lines[name]:
            raise InputError(
                f"{path}: the groups of {name} have {len(of_lines):,} lines; the file has {lines[name]:,}."
            )
    return LineGroups({name: tuple(of_lines) for name, of_lines in found.items()}, header[1], header[2])


def _checked(cells: Sequence[str], where: str, lines: Mapping[str, int]) -> tuple[str, str, int]:
    """The file, the group and the number of lines of one row."""
    if len(cells) != 3 or not all(cells) or not cells[2].isdecimal():
        raise InputError(f"{where}: write a file, a group, and how many of the file's next lines belong to it.")
    if cells[0] not in lines:
        raise InputError(f"{where}: {unknown('file', cells[0], lines)}")
    if len(cells[2]) > 12 or int(cells[2]) > lines[cells[0]]:
        raise InputError(f"{where}: {cells[2]} lines are more than the {lines[cells[0]]:,} of {cells[0]}.")
    return cells[0], cells[1], int(cells[2])
