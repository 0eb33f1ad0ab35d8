"""`oratory settings`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Models"


def command(
    key: Annotated[str | None, typer.Argument(help="A setting, such as position or optimizer.")] = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Every setting, its meaning, values and default; one KEY with the parameters of its values."""
    from oratory.training.explain import explain

    common.load_plugins(plugin)
    common.show_or_print(explain(key), json)
