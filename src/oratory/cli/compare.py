"""`oratory compare`."""

from typing import Annotated

import typer

from oratory.cli import _common as common
from oratory.errors import InputError


def command(
    variants: Annotated[
        list[str],
        typer.Argument(
            metavar="VARIANT...",
            help="Settings such as position=rope; several in quotes; base for none. The first is the baseline.",
        ),
    ],
    task: common.Task = "classifier",
    model: common.Published = None,
    seeds: Annotated[str, typer.Option(help="How many seeds, or the seeds with commas between.")] = "5",
    settings: common.SetAll = None,
    tune: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="Each variant also at what is best for it on dev, as in train.lr=1e-4,1e-3; may come again.",
        ),
    ] = None,
    tune_trials: Annotated[
        int | None, typer.Option(help="Points to try for each: 8, or the whole grid, unless given.")
    ] = None,
    tune_seeds: Annotated[int, typer.Option(help="How many seeds to a point, others than those compared.")] = 2,
    data: common.DataOption = "sotu",
    on: common.On = "local",
    workers: common.Workers = None,
    report: common.Report = None,
    runs: common.Runs = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Train variants with the same seeds, and say whether they differ.

    All variants share their seeds, the initial values of the parameters they have in common, and their batches. Runs
    that the store has already are used as they are. Stopped in the middle, the same command goes on.

    With --tune every variant is searched on dev by itself, all with the same trials, and stands in the comparison as
    it was found and as it was given; the first one, as it was found, is the baseline.
    """
    from oratory.cli._table import LiveTable
    from oratory.cli._trials import Trials
    from oratory.comparison import Design, parse_seeds, parse_variants
    from oratory.comparison.design import known_settings
    from oratory.comparison.tuning import Tuning
    from oratory.lab.compare import compare_design, executor_of, tune_design
    from oratory.settings import parse_words

    common.load_plugins(plugin)
    design = Design(
        task=task,
        corpus=common.load(data),
        variants=parse_variants(variants),
        seeds=parse_seeds(seeds),
        settings=parse_words(settings or [], known_settings()) | common.published(model),
    )
    common.check_report(report)
    executor = executor_of(on, workers)
    if tune_trials is not None and not tune:
        raise InputError(
            "--tune-trials says how much of --tune is tried; say what to tune, as in --tune train.lr=1e-4,1e-3."
        )
    if tune:
        tuning = Tuning.parse(tune, design, tune_trials, tune_seeds)
        design = tune_design(design, tuning, runs, executor, Trials, plugin or ())
    with LiveTable([variant.name for variant in design.variants], design.seeds) as table:
        comparison = compare_design(design, runs, executor, table, plugin or ())
    common.write_report(comparison, report)
    common.show_or_print(comparison, json)
