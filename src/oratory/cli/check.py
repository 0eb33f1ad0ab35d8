"""`oratory check`."""

from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Models"


def command(
    plugin: Annotated[Path, typer.Argument(help="A Python file with one or more mechanisms.")],
    json: common.Json = False,
) -> None:
    """Test your own mechanism against the contract: what must hold before a comparison means anything."""
    from oratory.errors import InputError
    from oratory.mechanisms import REGISTRY
    from oratory.settings import required

    classes = REGISTRY.load_plugin(plugin)

    from oratory.model.contract import check_mechanism

    for cls in classes:
        if required(cls):
            raise InputError(f"{plugin}: {cls.__name__} cannot be tried, for {required(cls)[0]} has no default.")
    found = [check_mechanism(cls()) for cls in classes]
    if json:
        common.print_json(
            {"passed": all(each.passed for each in found), "mechanisms": [each.to_dict() for each in found]}
        )
    else:
        for each in found:
            common.show(each)
    if not all(each.passed for each in found):
        raise typer.Exit(1)
