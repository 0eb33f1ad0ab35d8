"""`oratory search`."""

from typing import Annotated

import typer

from oratory.cli import _common as common


def command(
    space: Annotated[
        list[str],
        typer.Argument(
            metavar="KEY=VALUES...",
            help="A range as in train.lr=1e-4..1e-2 (:log or :linear behind it), or a list as in train.batch=16,32.",
        ),
    ],
    task: common.Task = "classifier",
    model: common.Published = None,
    method: Annotated[str, typer.Option(help="tpe, random or grid.")] = "tpe",
    trials: Annotated[
        int | None, typer.Option(help="Points to try: 20, or the whole grid, unless given.", show_default=False)
    ] = None,
    seeds: Annotated[str, typer.Option(help="How many seeds to a point, or the seeds with commas between.")] = "3",
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
    runs: common.Runs = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Search settings: grid, random or TPE, several seeds to a point, chosen on dev.

    Test is measured once, for the best settings, when they have been chosen. Runs that the store has already are used
    as they are. Stopped in the middle, the same command goes on; with more --trials it goes further.
    """
    from oratory.cli._trials import Trials
    from oratory.comparison import parse_seeds
    from oratory.comparison.jobs import read_plugins
    from oratory.comparison.search_design import SearchDesign, kinds_of
    from oratory.comparison.search_space import Space
    from oratory.lab.compare import executor_of
    from oratory.lab.search import search_design
    from oratory.settings import parse_words

    common.load_plugins(plugin)
    published = common.published(model)
    kinds = kinds_of(task, published)
    design = SearchDesign(
        task=task,
        space=Space.parse(space, kinds),
        corpus=common.load(data),
        method=method,
        trials=trials,
        seeds=parse_seeds(seeds),
        settings=parse_words(settings or [], list(kinds)) | published,
        search_seed=search_seed,
        at_once=at_once,
        prune=prune,
        plugins=read_plugins(plugin or ()),
    )
    common.check_report(report)
    executor = executor_of(on, workers)
    with Trials(design) as listen:
        found = search_design(design, runs, executor, listen)
    common.write_report(found, report)
    common.show_or_print(found, json)
