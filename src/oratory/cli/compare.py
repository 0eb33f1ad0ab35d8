"""`oratory compare`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Verdicts"


def command(
    variants: Annotated[
        list[str],
        typer.Argument(
            metavar="VARIANT",
            help="Settings such as position=rope; several in quotes; base for none. The first is the baseline.",
        ),
    ],
    task: common.Task = "classifier",
    model: common.Model = None,
    seeds: Annotated[str, typer.Option(help="How many seeds, or a list such as 0,1,2.")] = "5",
    settings: common.SetAll = None,
    metric: Annotated[
        str | None, typer.Option(help="Compare by this metric, such as accuracy, perplexity or bits-per-byte.")
    ] = None,
    tune: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="Try values for each variant on dev, as in train.lr=1e-4,1e-3, and compare the best; may be repeated.",
        ),
    ] = None,
    tune_trials: Annotated[
        int | None, typer.Option(help="Points to try for each variant; 8, or the whole grid, unless given.")
    ] = None,
    tune_seeds: Annotated[
        int, typer.Option(help="Seeds for each point; they differ from those that are compared.")
    ] = 2,
    data: common.DataOption = "sotu",
    on: common.On = "local",
    workers: common.Workers = None,
    report: common.Report = None,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Train variants with the same seeds, and say whether they differ.

    All variants share their seeds, the initial values of the parameters they have in common, and their batches. Runs
    that the store has already are used as they are. If it is stopped, the same command continues.

    With --tune every variant is searched on dev by itself, all with the same trials. It takes part in the comparison
    with the settings that were found and with those that were given; the first one, as found, is the baseline.
    """
    from oratory.comparisons import parse_seeds, parse_variants
    from oratory.comparisons.design import check_variants
    from oratory.reports.jobs import JobsProgress
    from oratory.training.tasks import task_of

    common.check_report(report)
    common.load_plugins(plugin)
    chosen, shared = parse_seeds(seeds), common.shared_settings(settings, model, runs)
    parsed = parse_variants(variants)
    check_variants(parsed, shared)
    for variant in parsed:
        variant.check_words(task_of(task), shared)
    corpus = common.load(data)

    from oratory.api import compare

    with JobsProgress() as progress:
        comparison = compare(
            *variants,
            task=task,
            corpus=corpus,
            seeds=chosen,
            settings=shared,
            metric=metric,
            runs=runs,
            on=on,
            workers=workers,
            plugins=plugin or (),
            listen=progress,
            tune=tune or (),
            tune_trials=tune_trials,
            tune_seeds=tune_seeds,
            on_plan=lambda time: common.note(time.sentence()),
        )
    common.write_report(comparison, report)
    common.show_or_print(comparison, json, comparison.id)
    if comparison.problems:
        raise typer.Exit(1)
