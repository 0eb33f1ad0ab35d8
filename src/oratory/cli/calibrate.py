"""`oratory calibrate`."""

from typing import Annotated

import typer

from oratory.cli import _common as common

PANEL = "Verdicts"


def command(
    like: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Take stored runs that differ from this one in their seed only."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(help="With --like: seeds on each side; 5, or as many as there are, unless given.")
    ] = None,
    trials: Annotated[int, typer.Option(help="Comparisons for each row; more make the intervals narrower.")] = 2000,
    seed: Annotated[int, typer.Option(help="Decides everything that is random.")] = 0,
    runs: common.RunsFolder = None,
    json: common.Json = False,
) -> None:
    """Check the verdicts by simulation: their false positives and their power, beside the promised rates.

    Scores are simulated: few seeds, few items, heavy tails, unequal weights, right or wrong, documents, and four
    variants against one baseline with Holm's correction. This takes about a minute on one core.

    With --like the scores are real: the runs of one variant are compared with others of its own seeds.
    """
    from oratory.runs.store import Store

    if like is not None:
        Store(runs).find(like)  # A name that no run has is refused before torch is loaded.

    from oratory.api import calibrate

    common.show_or_print(calibrate(like, seeds=seeds, trials=trials, seed=seed, runs=runs), json)
