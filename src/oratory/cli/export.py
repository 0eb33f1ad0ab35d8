"""`oratory export`."""

from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common

FORMS = ("onnx",)


def command(
    run: common.RunName,
    to: Annotated[str, typer.Option(help=f"The form to write: {', '.join(FORMS)}.")],
    out: Annotated[Path | None, typer.Option(help="The file; the id of the run in this folder unless given.")] = None,
    runs: common.Runs = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Write a trained model for other programs."""
    from oratory.errors import unknown

    if to not in FORMS:
        raise unknown("form", to, FORMS)
    from oratory.runs import Store
    from oratory.runs.onnx import export_onnx

    common.load_plugins(plugin)
    found = Store(runs).open(run)
    made = export_onnx(found, out or Path(f"{found.id}.onnx"))
    common.show_or_print(made, json)
