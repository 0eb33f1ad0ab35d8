"""`oratory reproduce`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from oratory.cli import _common as common

PANEL = "Verdicts"


def command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="RECIPE", help="Without a name, all recipes are listed.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every recipe.")] = False,
    seeds: Annotated[
        str | None,
        typer.Option(help="How many seeds, or the seeds separated by commas; default: those of the recipe."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(help="A corpus, as for the other commands; default: that of the recipe, or ORATORY_SPEECHES."),
    ] = None,
    settings: common.SetAll = None,
    on: common.On = "local",
    workers: common.Workers = None,
    out: Annotated[
        Path | None, typer.Option(help="A folder for the reports, with a folder for each recipe; or one file.")
    ] = None,
    runs: common.RunsFolder = None,
    json: common.Json = False,
) -> None:
    """Run the reference experiments, and show our figures beside the published ones.

    Without a name, all recipes are listed. Runs that the store has are not trained again, so the same command continues
    if it was stopped. It begins with an estimate of the time.
    """
    from oratory.comparisons import parse_seeds
    from oratory.errors import InputError
    from oratory.recipes.names import check_recipes, recipe_names

    if everything and names:
        raise InputError(f"--all runs every recipe; leave out {' '.join(names)}, or --all.")
    check_recipes(names or ())
    only = parse_seeds(seeds) if seeds else None
    shared = common.shared_settings(settings)
    chosen = tuple(dict.fromkeys(names or recipe_names()))
    if out is not None and out.suffix and len(chosen) > 1:
        raise InputError(f"--out {out} is one file, and there are {len(chosen)} recipes; name a folder.")
    common.check_report(out)

    from oratory.api import reproduce
    from oratory.recipes import HandResult, Reproduction, list_recipes
    from oratory.recipes.estimate import TimeEstimate
    from oratory.reports.jobs import JobsProgress
    from oratory.runs import Store

    if not everything and not names:
        common.show_or_print(list_recipes(Store(runs)), json)
        return
    facts: dict[str, Any] = {}

    def on_plan(time: TimeEstimate) -> None:
        common.note(time.sentence())
        facts["estimate"] = time.to_dict()

    def on_result(made: Reproduction | HandResult) -> None:
        progress.leave()
        if out is not None:
            common.write_report(made, out if out.suffix else out / made.recipe.name)
        if not json:
            common.show(made, made.recipe.title)
            common.show_sentences(made.sentences())
            common.say()

    with JobsProgress() as progress:
        found = reproduce(
            *chosen,
            seeds=only,
            data=data,
            settings=shared,
            runs=runs,
            on=on,
            workers=workers,
            listen=progress,
            say=common.note,
            on_plan=on_plan,
            on_result=on_result,
        )
    if json:
        common.print_json({**facts, "recipes": [made.to_dict() for made in found]})
