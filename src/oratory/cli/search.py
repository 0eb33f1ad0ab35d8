"""`oratory search`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Models"
EARLIER = " It may end earlier: what other searches and comparisons trained is not trained again."


def command(
    space: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUES",
            help="A range such as train.lr=1e-4..1e-2 (then :log or :linear), or a list such as train.batch=16,32.",
        ),
    ],
    task: common.Task = "classifier",
    model: common.Model = None,
    method: Annotated[str, typer.Option(help="tpe, random or grid.")] = "tpe",
    trials: Annotated[
        int | None, typer.Option(help="Points to try: 20, or the whole grid, unless given.", show_default=False)
    ] = None,
    seeds: Annotated[str, typer.Option(help="Seeds for each point: how many, or a list such as 0,1,2.")] = "3",
    settings: common.SetAll = None,
    data: common.DataOption = "sotu",
    search_seed: Annotated[int, typer.Option(help="The seed of the points that are drawn.")] = 0,
    at_once: Annotated[
        int, typer.Option(help="Points that are drawn together; decides what tpe knows when it draws.")
    ] = 4,
    prune: Annotated[
        bool, typer.Option("--prune/--no-prune", help="Leave a point whose first seed is worse than the median.")
    ] = True,
    on: common.On = "local",
    workers: common.Workers = None,
    report: common.Report = None,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Search settings: grid, random or TPE, several seeds to a point, chosen on dev.

    Test is measured once, for the best settings, after they have been chosen. Runs that the store has already are used
    as they are. If it is stopped, the same command continues; with more --trials it searches further.
    """
    from oratory.api import search
    from oratory.comparisons import parse_seeds
    from oratory.reports.jobs import JobsProgress

    common.check_report(report)
    with JobsProgress() as progress:
        found = search(
            *space,
            task=task,
            corpus=data,
            method=method,
            trials=trials,
            seeds=parse_seeds(seeds),
            settings=common.shared_settings(settings, model, runs),
            runs=runs,
            on=on,
            workers=workers,
            search_seed=search_seed,
            at_once=at_once,
            prune=prune,
            plugins=plugin or (),
            listen=progress,
            on_plan=lambda time: common.note(f"{time.sentence()}{EARLIER if time.runs else ''}"),
        )
    common.write_report(found, report)
    common.show_or_print(found, json, found.id)
