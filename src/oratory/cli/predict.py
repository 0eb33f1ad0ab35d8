"""`oratory predict`."""

from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common
from oratory.cli import _predictions as predictions

PANEL = "A trained model"


def command(
    run: common.RunName,
    file: Annotated[str, typer.Argument(help="Lines (.txt), or a table (.tsv, .csv, .jsonl, .parquet); - for stdin.")],
    column: Annotated[
        str | None, typer.Option(help="The column that holds the text; found by its name unless given.")
    ] = None,
    out: common.PredictionsFile = None,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Every text of a file at once: the probability of each label, or the perplexity, as a table or a file."""
    common.load_plugins(plugin)
    predictions.check_predictions(out)
    found = common.load_run(run, runs)
    source = predictions.stdin_lines() if file == "-" else Path(file)
    predictions.show_predictions(found, found.predict(source, column), out, json)
