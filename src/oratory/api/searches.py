"""Settings chosen on dev."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oratory.api.shared import UNREAD, AnyListener, AnyPath, ignore, seeds_of, with_texts
from oratory.execution import place
from oratory.execution.jobs import AnyPlugin, load_plugins
from oratory.execution.place import no_server_left
from oratory.recipes.estimate import TimeEstimate, planned_run
from oratory.recipes.planning import time_of_runs
from oratory.reports.jobs import JobsProgress
from oratory.reports.progress import in_notebook
from oratory.runs import Store
from oratory.runs.given import as_given
from oratory.searches.design import AT_ONCE, SEEDS, SearchDesign
from oratory.searches.make import search as make_search
from oratory.searches.make import trials_ended
from oratory.searches.result import Search
from oratory.searches.space import Space, setting_kinds
from oratory.text import Corpus
from oratory.training.origins import origin_of
from oratory.training.tasks import task_of

UNUSED = 10**9
"""Seeds from here on are those of no run: an estimate takes them for runs whose points are not drawn yet."""


@no_server_left()
def search(
    *space: str,
    task: str = "classifier",
    corpus: Corpus | AnyPath = "sotu",
    method: str = "tpe",
    trials: int | None = None,
    seeds: int | Sequence[int] = SEEDS,
    settings: Mapping[str, Any] | None = None,
    runs: AnyPath | None = None,
    on: str = "local",
    workers: int | None = None,
    search_seed: int = 0,
    at_once: int = AT_ONCE,
    prune: bool = True,
    plugins: Sequence[AnyPlugin] = (),
    listen: AnyListener | None = None,
    on_plan: Callable[[TimeEstimate], None] | None = None,
) -> Search:
    """Search the settings that do best on dev, over several seeds each. Test is measured for the best ones alone.

        search("train.lr=1e-4..1e-2", "train.batch=16,32,64", trials=20, seeds=3)

    With `settings={"model": "minilm"}` that model is fine-tuned. With `on_plan` the time of all points is estimated
    first, as if each took as long as the first one.
    """
    place.check_place(on, workers)
    loaded, store = load_plugins(plugins), Store(runs)
    shared = as_given(settings, store)
    unread = SearchDesign(
        task=task_of(task),
        space=Space.parse(space, setting_kinds(origin_of(shared))),
        corpus=UNREAD,
        method=method,
        trials=trials,
        seeds=seeds_of(seeds),
        settings=shared,
        search_seed=search_seed,
        at_once=at_once,
        prune=prune,
        plugins=loaded,
    )
    design = with_texts(unread, corpus)
    executor = place.executor_of(on, workers)
    if on_plan is not None and on == place.LOCAL:
        design.check()
        on_plan(_time_of(design, store, workers))
    with in_notebook(JobsProgress, listen) as heard:
        return make_search(design, store, executor, heard or ignore)


def _time_of(design: SearchDesign, store: Store, workers: int | None) -> TimeEstimate:
    """How long the trials take that have not ended, as if each took as long as the first one."""
    ended = min(trials_ended(design, store), design.points) * len(design.seeds)
    first = {**design.settings, **next(design.space.probes())}
    planned = [
        planned_run(design.task, design.ready.fingerprint, first, UNUSED + number, "the first point")
        for number in range(design.points * len(design.seeds) - ended)
    ]
    return replace(time_of_runs(planned, [design.ready], store, workers), had=ended)
