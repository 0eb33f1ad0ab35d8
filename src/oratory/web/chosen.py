"""The runs that a visitor chooses from."""

from collections.abc import Callable
from typing import Annotated

from pydantic import Field

from oratory.runs import Store
from oratory.runs.entry import Entry

Chosen = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,199}$", description="A run, by its id.")]
"""Never a path: letters, digits and dashes."""
EACH_ALONE = "On the command line, oratory score takes each of them by itself."
"""Said of a text that is scored as a whole, where it is several of those that the model was trained on."""
SHOWN = 300
"""Runs in a list; others can still be named in the address."""


def choices(store: Store, fits: Callable[[Entry], bool] = lambda entry: True) -> dict[str, str]:
    """Finished runs, the newest first, and what they are called in a list."""
    found = [entry for entry in store.entries() if entry.status == "finished" and fits(entry)]
    return {entry.id: _called(entry) for entry in found[:SHOWN]}


def _called(entry: Entry) -> str:
    """The id first: a list that is closed may cut the rest."""
    named = f"{entry.name} ({entry.id})" if entry.name else entry.id
    return f"{named}: {entry.variant}, seed {entry.seed}, {entry.corpus}"
