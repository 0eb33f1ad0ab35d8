"""`oratory bench`."""

from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Everything else"


def command(
    works: Annotated[
        list[str] | None, typer.Argument(metavar="WORK", help="What to time; everything unless given.")
    ] = None,
    threads: Annotated[int, typer.Option(help="Threads of each contender.")] = 2,
    turns: Annotated[
        int, typer.Option(help="How often everyone has a turn; more of them even out a busy machine.")
    ] = 12,
    plot: Annotated[Path | None, typer.Option(help="A picture to write: .svg, .png or .pdf.")] = None,
    list_works: Annotated[bool, typer.Option("--list", help="Show what can be timed, and stop.")] = False,
    json: common.Json = False,
) -> None:
    """Speed beside the peers that are installed: the same work in turns, best and median, and ratios of medians.

    Every contender has a process of its own. `limit` is what the matrix products of a work would take alone, at the
    rate that this machine reaches in the same minutes. All works together take about half an hour.
    """
    from oratory.bench.bench import bench, known_works

    if list_works:
        common.show_or_print(known_works(), json)
        return
    if plot:
        from oratory.bench.drawing import check_plot

        check_plot(plot)
    found = bench(works or (), threads=threads, turns=turns, say=common.note)
    if plot:
        from oratory.bench.drawing import write_plot

        write_plot(found, plot)
        common.note(f"The picture is in {plot}.")
    common.show_or_print(found, json)
