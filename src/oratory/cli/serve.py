"""`oratory serve`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Start here"


def command(
    runs: common.RunsFolder = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any that is free.")] = 8765,
    host: Annotated[
        str, typer.Option(help="The address to listen at. Others than this machine's own need a token.")
    ] = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option(help="Who has it may see the page. It is made if another machine can reach the page.")
    ] = None,
    plugin: common.Plugins = None,
) -> None:
    """Open the laboratory in a browser: runs, comparisons, attention, texts. Ctrl-C ends it.

    The page is on this machine alone, and needs no network. Trainings that were started from it are saved when it
    ends, and can be continued.
    """
    from oratory.web.serve import serve

    common.load_plugins(plugin)
    say = lambda where: common.say(f"The page is at {where}")  # noqa: E731
    serve(runs, host=host, port=port, token=token, plugins=plugin or (), say=say)
