"""`oratory report`."""

from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Everything else"


def command(
    what: Annotated[
        str,
        typer.Argument(
            metavar="WHAT",
            help="The id of a run or of another result (oratory runs list --comparisons), or the beginning of one; "
            "last for the newest run; or a recipe.",
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help=".html, .pdf, .md, .tex, .csv, or a folder for all of them; WHAT.html here unless given."),
    ] = None,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Write a report on a run, a comparison, a search, or any other result. Nothing is trained."""
    from oratory.api import report

    common.check_report(out)
    common.load_plugins(plugin)
    files = report(what, out, runs)
    if json:
        common.print_json({"what": what, "files": [str(path) for path in files]})
    else:
        common.say(f"The report is at {files[0] if out is None or out.suffix else out}")
        for path in files[1:] if out is not None and out.suffix else ():
            common.note(f"Written beside it: {path}")
