"""What `oratory predict` and `oratory score` share: texts from stdin, and a row for each text."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from oratory.cli import _common as common

if TYPE_CHECKING:
    from oratory.runs import Run
    from oratory.runs.predictions import Predictions


def stdin_lines() -> list[str]:
    """The lines of stdin that are not blank."""
    return [line for line in sys.stdin.read().splitlines() if line.strip()]


def check_predictions(out: Path | None) -> None:
    """Refuse a file that could not be written before anything is computed."""
    if out is not None:
        from oratory.exports.table import check_path

        check_path(out)


def show_predictions(run: "Run", found: "Predictions", out: Path | None, json: bool) -> None:
    """Write a file where one is wanted; show the table, or print JSON."""
    if out is not None:
        from oratory.exports.table import write_table
        from oratory.tables import counted

        write_table(out, found.table())
        common.note(f"{out}: {counted(len(found), 'text')}")
    if json:
        common.print_json(common.with_state(run, found.to_dict()))
    else:
        common.show(found)
