"""`oratory scale`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Verdicts"


def command(
    variants: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="VARIANT", help="Settings such as width=128; several in quotes; base, the default, for none."
        ),
    ] = None,
    task: common.Task = "classifier",
    model: common.Model = None,
    sizes: Annotated[str, typer.Option(help="Shares of train, the smallest first.")] = "0.0625,0.125,0.25,0.5,1",
    seeds: common.Seeds = "5",
    settings: common.SetAll = None,
    metric: Annotated[
        str | None, typer.Option(help="Measure by this metric: accuracy, bits-per-byte or perplexity-per-word.")
    ] = None,
    data: common.DataOption = "sotu",
    on: common.On = "local",
    workers: common.Workers = None,
    report: common.Report = None,
    runs: common.RunsFolder = None,
    plugin: common.Plugins = None,
    json: common.Json = False,
) -> None:
    """Train variants on nested parts of train, and say who wins at which size.

    Baselines and variants learn from the same parts and are measured on the same test. Parts have vocabularies of their
    own, so language models are compared by bits per byte. Where two curves cross for certain, a sentence says so. How
    long it takes is estimated first. If it is stopped, the same command continues.
    """
    from oratory.api import scale
    from oratory.comparisons import parse_seeds
    from oratory.reports.jobs import JobsProgress
    from oratory.settings import convert

    common.check_report(report)
    with JobsProgress() as progress:
        found = scale(
            *(variants or ()),
            task=task,
            corpus=data,
            sizes=[convert(share, float, "--sizes") for share in sizes.split(",")],
            seeds=parse_seeds(seeds),
            settings=common.shared_settings(settings, model, runs),
            metric=metric,
            runs=runs,
            on=on,
            workers=workers,
            plugins=plugin or (),
            listen=progress,
            say=common.note,
            on_plan=lambda estimate: common.note(estimate.sentence()),
        )
    common.finish(found, report, json)
