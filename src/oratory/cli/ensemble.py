"""`oratory ensemble`."""

from typing import Annotated

import typer

from oratory.cli import _common as common
from oratory.cli import _training as training

PANEL = "Verdicts"


def command(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN|COMPARISON", help="Runs of one variant with different seeds, or a comparison; ids suffice."
        ),
    ],
    size: Annotated[int, typer.Option(help="Runs in each of the ensembles that verdicts are on.")] = 2,
    metric: common.Metric = None,
    counts: Annotated[
        float | None,
        typer.Option(
            help="Mix language models, even one alone, with Kneser-Ney n-grams of train, which get this share; say 0.5."
        ),
    ] = None,
    distill: Annotated[
        bool, typer.Option("--distill", help="Train one model on the probabilities of the first variant's ensemble.")
    ] = False,
    report: common.Report = None,
    runs: common.RunsFolder = None,
    json: common.Json = False,
) -> None:
    """Average the runs of a variant over its seeds, as one model.

    The probability of every class, or of every token, is the mean of that of the runs. Of a comparison, each variant
    becomes an ensemble. Beside the ensemble stand the baselines and the mean of its members. Whether averaging helps is
    judged on smaller ensembles of which no two share a run. Nothing is trained, unless --distill asks for one model
    that learns the probabilities of the ensemble: a run like any other, with the settings of the members.
    """
    from oratory import api

    common.check_report(report)
    found = api.ensemble(*names, size=size, metric=metric, counts=counts, runs=runs)
    common.write_report(found, report)
    if not distill:
        common.show_or_print(found, json, found.id)
        return
    from oratory.reports.progress import RunProgress

    with RunProgress() as progress:
        run = api.distill(found, listen=progress)
    if json:
        common.print_json(found.to_dict() | {"distilled": run.to_dict()})
    else:
        common.show(found, found.id)
        training.show_run(run, f"{found.id}, distilled: {run.id}")
