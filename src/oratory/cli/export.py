"""`oratory export`."""

from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "A trained model"

FORMS = ("onnx", "hf")


def command(
    run: common.RunName,
    to: Annotated[str, typer.Option(help=f"The form to write: {', '.join(FORMS)}.")],
    out: Annotated[
        Path | None, typer.Option(help="The file, or the folder of hf; the id of the run in this folder unless given.")
    ] = None,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Write a trained model for other programs: as an ONNX file, or as a folder that transformers loads (hf)."""
    from oratory.errors import unknown

    if to not in FORMS:
        raise unknown("form", to, FORMS)
    common.load_plugins(plugin)
    found = common.load_run(run, runs)
    if to == "hf":
        from oratory.exports.hf import export_hf

        common.show_or_print(export_hf(found, out or Path(f"{found.id}-hf")), json)
        return
    from oratory.exports.onnx import export_onnx

    common.show_or_print(export_onnx(found, out or Path(f"{found.id}.onnx")), json)
