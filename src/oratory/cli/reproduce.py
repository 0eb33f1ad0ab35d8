"""`oratory reproduce`."""

from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common


def command(
    names: Annotated[list[str] | None, typer.Argument(metavar="[RECIPE]...", help="None lists all of them.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every recipe, in one go.")] = False,
    seeds: Annotated[
        str | None,
        typer.Option(help="How many seeds, or the seeds with commas between; the recipe's own unless given."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(help="A corpus, as for the other commands; the recipe's own, or ORATORY_SPEECHES, unless given."),
    ] = None,
    settings: common.SetAll = None,
    on: common.On = "local",
    workers: common.Workers = None,
    out: Annotated[
        Path | None, typer.Option(help="A folder for the reports, one folder in it for each recipe; or one file.")
    ] = None,
    runs: common.Runs = None,
    json: common.Json = False,
) -> None:
    """Run the reference experiments, and put ours beside what was published.

    Without a name, all recipes are listed. Runs that the store has already are used as they are; stopped in the middle,
    the same command goes on. An estimate of the time comes first.
    """
    from oratory.cli._table import LiveTable
    from oratory.comparison import parse_seeds
    from oratory.comparison.design import known_settings
    from oratory.errors import InputError
    from oratory.lab.compare import executor_of
    from oratory.lab.reproduce import listed, plan, run_planned, time_of
    from oratory.recipes import recipe_names
    from oratory.settings import parse_words

    if everything and names:
        raise InputError(f"--all runs every recipe; leave out {' '.join(names)}, or --all.")
    if not everything and not names:
        common.show_or_print(listed(runs), json)
        return
    given = parse_words(settings or [], known_settings())
    chosen = tuple(dict.fromkeys(names or recipe_names()))
    if out is not None and out.suffix and len(chosen) > 1:
        raise InputError(f"--out {out} is one file, and there are {len(chosen)} recipes; name a folder.")
    common.check_report(out)
    executor_of(on, workers)  # Refuses a place that there is not, before anything is read.
    planned = plan(chosen, parse_seeds(seeds) if seeds else None, data, given)
    time = time_of(planned, runs)
    common.note(time.sentence())
    found = []
    for entry in planned:
        common.note(f"{entry.recipe.name}: {entry.recipe.title}")
        with LiveTable([variant.name for variant in entry.recipe.variants], entry.seeds) as table:
            made = run_planned(entry, runs, on, workers, table)
        found.append(made)
        if out is not None:
            target = out if out.suffix else out / entry.recipe.name
            common.note(f"Written: {made.report(target)[0]}")
        if not json:
            common.show(made, made.recipe.title)
            common.show_sentences(made.sentences())
            typer.echo()
    if json:
        common.print_json({"estimate": time.to_dict(), "recipes": [made.to_dict() for made in found]})
