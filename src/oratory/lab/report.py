"""A report on whatever the store has: a run, a comparison, or a recipe."""

import os
from pathlib import Path

from oratory.comparison.make import FOLDER as COMPARISONS
from oratory.errors import InputError, unknown
from oratory.files import exists
from oratory.lab.compare import reopen
from oratory.lab.reproduce import reopen_recipe
from oratory.lab.run import load_run
from oratory.recipes import recipe_names
from oratory.runs import Store


def report(
    what: str, out: str | os.PathLike[str] | None = None, runs: str | os.PathLike[str] | None = None
) -> tuple[Path, ...]:
    """Write a report on a run, a comparison (both by id), or a recipe that was run; the files, the main one first.

    The suffix of `out` says what kind: .html, .pdf, .md, .tex or .csv; a name without one is a folder for all of them.
    """
    store = Store(runs)
    target = Path(out) if out is not None else Path(f"{what}.html")
    if exists(store.folder / COMPARISONS / f"{what}.json"):
        return reopen(what, runs).report(target)
    if what in recipe_names():
        return reopen_recipe(what, runs).report(target)
    try:
        found = load_run(what, runs)
    except InputError as error:
        if what == "last" or "begins the ids" in str(error) or store.has(what):
            raise
        compared = [path.stem for path in (store.folder / COMPARISONS).glob("*.json")]
        known = [*compared, *recipe_names(), *(entry.id for entry in store.entries())]
        raise unknown("run, comparison or recipe", what, known) from None
    return found.report(target if out is not None else Path(f"{found.id}.html"))
