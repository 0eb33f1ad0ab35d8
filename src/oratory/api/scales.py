"""Variants and baselines on parts of train."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oratory.api.shared import UNREAD, AnyListener, AnyPath, ignore, seeds_of, started, with_texts
from oratory.comparisons import parse_variants
from oratory.comparisons.scales import Scale, ScaleDesign
from oratory.comparisons.scales import scale as make_scale
from oratory.comparisons.scales.design import SHARES
from oratory.execution import place
from oratory.execution.jobs import AnyPlugin, load_plugins
from oratory.execution.place import no_server_left
from oratory.recipes.estimate import TimeEstimate, planned_run
from oratory.recipes.planning import time_of_runs
from oratory.runs import Store
from oratory.runs.given import as_given
from oratory.text import Corpus
from oratory.training.tasks import task_of


@no_server_left()
def scale(
    *variants: str,
    task: str = "classifier",
    corpus: Corpus | AnyPath = "sotu",
    sizes: Sequence[float] = SHARES,
    seeds: int | Sequence[int] = 5,
    settings: Mapping[str, Any] | None = None,
    metric: str | None = None,
    runs: AnyPath | None = None,
    on: str = "local",
    workers: int | None = None,
    plugins: Sequence[AnyPlugin] = (),
    listen: AnyListener | None = None,
    say: Callable[[str], None] = ignore,
    on_plan: Callable[[TimeEstimate], None] | None = None,
) -> Scale:
    """Train variants on nested parts of train, and say at which size which of them, or which baseline, is best.

        scale("base", "width=128", task="lm", sizes=[0.1, 0.3, 1], seeds=5)

    With `on_plan` the time that it will take is estimated first, which may mean to train for a moment.
    """
    place.check_place(on, workers)
    loaded, store = load_plugins(plugins), Store(runs)
    unread = ScaleDesign(
        task=task_of(task),
        corpus=UNREAD,
        variants=tuple(started(variant, store) for variant in parse_variants(variants or ["base"])),
        shares=tuple(sizes),
        seeds=seeds_of(seeds),
        settings=as_given(settings, store),
        metric=metric,
        plugins=loaded,
    )
    design = with_texts(unread, corpus)
    executor = place.executor_of(on, workers)
    design.check(store, getattr(executor, "here", False))
    if on_plan is not None:
        planned = [
            planned_run(design.task, part.fingerprint, design.of(variant), seed, f"{variant.name} on {part.name}")
            for part in design.parts
            for variant in design.variants
            for seed in design.seeds
        ]
        on_plan(time_of_runs(planned, design.parts, store, workers, say))
    return make_scale(design, store, executor, listen)
