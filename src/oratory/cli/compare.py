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
    seeds: common.Seeds = "5",
    settings: common.SetAll = None,
    metric: common.Metric = None,
    tune: common.Tune = None,
    tune_trials: common.TuneTrials = None,
    tune_seeds: common.TuneSeeds = 2,
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
    from oratory.api import compare
    from oratory.comparisons import parse_seeds
    from oratory.reports.jobs import JobsProgress

    common.check_report(report)
    with JobsProgress() as progress:
        comparison = compare(
            *variants,
            task=task,
            corpus=data,
            seeds=parse_seeds(seeds),
            settings=common.shared_settings(settings, model, runs),
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
    common.finish(comparison, report, json)
