"""A first line that names columns is not data: it is asked about, and never trained on."""

from collections.abc import Sequence
from pathlib import Path
from statistics import median

from oratory.errors import InputError

LONGEST = 40
"""Characters that the name of a column has at most."""
WORDS = 3
"""Words that the name of a column has at most."""


def check_first(path: str | Path, first: Sequence[str], rest: Sequence[Sequence[str]]) -> None:
    """Refuse a table whose first line looks like a header without a usual name, before it becomes an item."""
    if not is_like_header(first, rest):
        return
    text, label = _guessed(first, rest)
    raise InputError(
        f"{path}, line 1: {', '.join(map(repr, first))} look like the names of columns, and are not in the list of "
        f'usual ones. Name them: "{_source(Path(path))},text={text},label={label})". If this line is data, put '
        "a line with text and label above it."
    )


def _source(path: Path) -> str:
    """How the source of a table begins: a folder for one of its splits, or the file itself."""
    is_split = path.stem in ("train", "dev", "validation", "valid", "val", "test")
    return f"folder(path={path.parent}" if is_split else f"file(path={path}"


def is_like_header(first: Sequence[str], rest: Sequence[Sequence[str]]) -> bool:
    """Whether a line is unlike those below it: short names that stand in no other line, above numbers or long texts."""
    names = [cell.strip() for cell in first]
    columns = [[row[at].strip() for row in rest if at < len(row)] for at in range(len(names))]
    if len(set(names)) < max(2, len(names)) or not all(map(_is_name, names)) or not all(columns):
        return False
    if any(name in column for name, column in zip(names, columns, strict=True)):
        return False
    above_numbers = any(all(map(_is_number, column)) for column in columns)
    # A label that is rare, beside a text of one word, is data; beside texts that are all much longer it is not.
    lengths = [median(len(cell.split()) for cell in column) for column in columns]
    at = lengths.index(max(lengths))
    return above_numbers or (len(names[at].split()) == 1 and lengths[at] > WORDS)


def _guessed(first: Sequence[str], rest: Sequence[Sequence[str]]) -> tuple[str, str]:
    """The names of the text and of the label, where there are two; the longer one is the text."""
    if len(first) != 2:
        return "COLUMN", "COLUMN"
    sizes = [sum(len(row[at]) for row in rest if at < len(row)) for at in (0, 1)]
    names = first[0].strip(), first[1].strip()
    return names if sizes[0] > sizes[1] else (names[1], names[0])


def _is_name(cell: str) -> bool:
    return 0 < len(cell) <= LONGEST and len(cell.split()) <= WORDS and cell[-1] not in ".!?" and not _is_number(cell)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
