"""Recipes that are run: the reference tables, and figures of one's own beside them."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oratory.api.shared import AnyListener, AnyPath, ignore, seeds_of
from oratory.execution import place
from oratory.execution.place import no_server_left
from oratory.recipes import HandResult, Reproduction, plan, recipe_names
from oratory.recipes.estimate import TimeEstimate
from oratory.recipes.planning import time_of
from oratory.runs import Store
from oratory.settings import as_text


@no_server_left()
def reproduce(
    *names: str,
    seeds: int | Sequence[int] | None = None,
    data: AnyPath | None = None,
    settings: Mapping[str, Any] | None = None,
    runs: AnyPath | None = None,
    on: str = "local",
    workers: int | None = None,
    listen: AnyListener | None = None,
    say: Callable[[str], None] = ignore,
    on_plan: Callable[[TimeEstimate], None] | None = None,
    on_result: Callable[[Reproduction | HandResult], None] = ignore,
) -> list[Reproduction | HandResult]:
    """Run recipes; all of them if none is named.

    For example `reproduce("r2-window", seeds=10)`. With `on_plan` the time that it will take is estimated first, which
    may mean to train for a moment. `say` is told what happens, and `on_result` gets each result as soon as it is there.
    """
    place.check_place(on, workers)
    chosen = None if seeds is None else seeds_of(seeds)
    planned = plan(names or recipe_names(), chosen, None if data is None else os.fspath(data), as_text(settings))
    executor, store = place.executor_of(on, workers), Store(runs)
    if on_plan is not None:
        on_plan(time_of(planned, store, workers, say))
    found = []
    for entry in planned:
        say(f"{entry.recipe.name}: {entry.recipe.title}")
        found.append(entry.run(store, executor, listen))
        on_result(found[-1])
    return found
