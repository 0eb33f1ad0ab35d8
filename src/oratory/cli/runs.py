"""`oratory runs list`, `show`, `note`, `rm`, `export`, `verify` and `rebuild`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from oratory.cli import _common as common
from oratory.cli import _training as training

PANEL = "Everything else"

app = typer.Typer(help="List, show, name, export, verify and remove runs.", no_args_is_help=True)

SHOWN = 50
"""Rows of a table unless --limit says otherwise; JSON has all."""

Filters = Annotated[
    list[str] | None,
    typer.Argument(metavar="KEY=VALUE", help="Conditions, such as position=rope, 'accuracy>80', seed!=0."),
]
Names = Annotated[list[str] | None, typer.Argument(metavar="RUN", help="Ids of runs or their beginnings.")]


@app.command("list")
def list_runs(
    filters: Filters = None,
    sort: Annotated[str | None, typer.Option(metavar="KEY", help="Any column, setting or figure.")] = None,
    descending: Annotated[
        bool | None, typer.Option("--descending/--ascending", help="The order of --sort; the least first unless given.")
    ] = None,
    group: Annotated[bool, typer.Option("--group", help="Group by everything except the seed.")] = False,
    group_by: Annotated[
        str | None, typer.Option(metavar="KEY,KEY", help="Group by these keys; what else differs is averaged over.")
    ] = None,
    limit: Annotated[int | None, typer.Option(help=f"How many; 0 for all. Tables show {SHOWN} unless given.")] = None,
    comparisons: Annotated[
        bool, typer.Option("--comparisons", help="The comparisons and searches instead, with their ids.")
    ] = False,
    runs: common.RunsFolder = None,
    json: common.Json = False,
) -> None:
    """Every run, the newest first; or those that meet conditions, sorted, or grouped over their seeds."""
    if comparisons:
        from oratory.api import list_results

        kept = list_results(runs)
        if kept.entries or json:
            common.show_or_print(kept, json)
        else:
            common.note("There is none yet; oratory compare makes one.")
        return
    from oratory.errors import InputError
    from oratory.runs.listing import listed
    from oratory.runs.store import Store

    if limit is not None and limit < 0:
        raise InputError(f"--limit takes a number of rows, or 0 for all, not {limit}.")
    keys = [key.strip() for key in group_by.split(",") if key.strip()] if group_by is not None else []
    if group_by is not None and not keys:
        raise InputError("--group-by takes keys with commas between, such as position,layers.")
    store = Store(runs)
    entries = store.entries()
    most = (limit or None) if limit is not None or json else SHOWN
    by = keys if group or keys else None
    found = listed(entries, filters or [], sort=sort, descending=descending, by=by, most=most)
    if json:
        common.print_json(found.to_dict())
        return
    common.show(found)
    if not found.total:
        from oratory.tables import counted

        hint = "none meets the conditions" if entries else "oratory train makes one"
        common.note(f"{store.folder} has {counted(len(entries), 'run')}; {hint}.")
    elif len(found) < found.total:
        common.note(f"{len(found):,} of {found.total:,}; --limit 0 shows all.")


@app.command()
def show(name: common.RunName = "last", runs: common.RunsFolder = None, json: common.Json = False) -> None:
    """One run: its result and its settings; one that is still at work too."""
    from oratory.runs.store import Store

    store = Store(runs)
    run = store.current(store.open(name))
    if json:
        common.print_json(training.run_facts(run))
        return
    at = f", step {run.step:,}" if run.status != "finished" else ""
    training.show_run(run, f"{run.id}: {run.status}{at}")
    if run.record.message:
        common.show_sentences([run.record.message])


@app.command()
def note(
    name: common.RunName,
    text: Annotated[str | None, typer.Argument(help="A note on the run, in quotes; an empty one removes it.")] = None,
    called: Annotated[
        str | None, typer.Option("--name", help="A name for the run, which every command takes in place of its id.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag to add; may be repeated.")] = None,
    untag: Annotated[list[str] | None, typer.Option(help="A tag to take away; may be repeated.")] = None,
    runs: common.RunsFolder = None,
    json: common.Json = False,
) -> None:
    """Give a run a note, a name and tags. The run stays the same run; lists show them, and find by them: tags=good."""
    from oratory.errors import InputError
    from oratory.runs.store import Store

    if text is None and called is None and not tag and not untag:
        raise InputError("Say what to write: a note in quotes, --name NAME, --tag TAG, or --untag TAG.")
    run = Store(runs).annotate(name, called=called, note=text, tags=tag or (), without=untag or ())
    record = run.record
    facts = {"run": run.id, "name": record.name, "tags": list(record.tags), "note": record.note}
    if json:
        common.print_json(facts)
        return
    said = [record.name, ", ".join(record.tags), record.note]
    common.say(f"{run.id}: {'; '.join(filter(None, said)) or 'nothing is written about it'}")


@app.command()
def rm(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN", help="Ids of runs or their beginnings; or conditions, such as status=diverged layers=6."
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    runs: common.RunsFolder = None,
) -> None:
    """Delete runs and all that they hold; those that are named, and those that meet every condition."""
    from oratory.errors import InputError
    from oratory.runs.filters import is_condition, select
    from oratory.runs.store import Store
    from oratory.tables import printable

    store = Store(runs)
    conditions = [name for name in names if is_condition(name)]
    found = list(dict.fromkeys(store.find(name) for name in names if name not in conditions))
    if conditions:
        found += [entry.id for entry in select(store.entries(), conditions) if entry.id not in found]
    if not found:
        raise InputError(f"No run in {store.folder} meets {' and '.join(conditions)}; nothing was removed.")
    for name in found:
        if store.is_held(name):
            raise InputError(f"The run {name} is in use by another process; nothing was removed.")
    if not yes:
        if not sys.stdin.isatty():
            raise InputError(f"Nobody can be asked here; --yes removes {', '.join(found)}.")
        count = f"{len(found):,} runs, " if len(found) > 1 else ""
        question = f"Delete {count}{', '.join(found)} from {store.folder}?"  # nosec B608 (this is no SQL)
        if not typer.confirm(printable(question), err=True):
            common.note("Nothing was removed.")
            raise typer.Exit(1)
    for name in found:
        store.remove(name)
        common.say(name)


@app.command("export")
def export_runs(
    path: Annotated[Path, typer.Argument(help="A file that ends in .csv or .parquet.")],
    filters: Filters = None,
    metrics: Annotated[
        bool, typer.Option("--metrics", help="A row for each figure of each evaluation, not for each run.")
    ] = False,
    runs: common.RunsFolder = None,
) -> None:
    """Write runs as a table: a row for each, with its settings and figures as columns."""
    from oratory.exports.table import check_path, metrics_table, runs_table, write_table
    from oratory.runs.filters import select
    from oratory.runs.store import Store

    check_path(path)
    store = Store(runs)
    entries = select(store.entries(), filters or [])
    table = metrics_table(entries, store.folder) if metrics else runs_table(entries)
    write_table(path, table)
    common.note(f"{path}: {table.num_rows:,} rows, {table.num_columns} columns of {len(entries):,} runs")


@app.command()
def verify(names: Names = None, runs: common.RunsFolder = None, json: common.Json = False) -> None:
    """Compare the files of runs with the checksums in their records; exit with 1 when something is wrong."""
    from oratory.errors import Failed
    from oratory.runs.store import Store

    store = Store(runs)
    chosen = [store.find(name) for name in names] if names else sorted(entry.id for entry in store.entries())
    wrong = {name: sentences for name in chosen if (sentences := store.verify(name))}
    if json:
        common.print_json({"runs": len(chosen), "wrong": wrong})
    if wrong:
        sentences = [sentence for found in wrong.values() for sentence in found]
        raise Failed(f"{len(wrong):,} of {len(chosen):,} runs are not as they were written. {' '.join(sentences)}")
    if not json:
        common.say(f"{len(chosen):,} runs are as they were written.")


@app.command()
def rebuild(runs: common.RunsFolder = None) -> None:
    """Make the catalogue again from the folders of the runs."""
    from oratory.runs.store import Store

    store = Store(runs)
    common.say(f"{store.catalogue.rebuild():,} runs are in the catalogue of {store.folder}.")
