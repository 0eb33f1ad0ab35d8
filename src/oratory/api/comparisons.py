"""Variants against a baseline."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from oratory.api.shared import UNREAD, AnyListener, AnyPath, ignore, seeds_of, started, with_texts
from oratory.comparisons import Comparison, Design, parse_variants
from oratory.comparisons import compare as make_comparison
from oratory.execution import place
from oratory.execution.jobs import AnyPlugin, Executor, load_plugins
from oratory.execution.place import no_server_left
from oratory.recipes.estimate import TimeEstimate, planned_run
from oratory.recipes.planning import time_of_runs
from oratory.reports.jobs import JobsProgress
from oratory.reports.progress import in_notebook
from oratory.runs import Store
from oratory.runs.given import as_given
from oratory.searches.make import search as make_search
from oratory.searches.tuning import SEEDS as TUNE_SEEDS
from oratory.searches.tuning import Tuning
from oratory.text import Corpus
from oratory.training.tasks import task_of


@no_server_left()
def compare(
    *variants: str,
    task: str = "classifier",
    corpus: Corpus | AnyPath = "sotu",
    seeds: int | Sequence[int] = 5,
    settings: Mapping[str, Any] | None = None,
    metric: str | None = None,
    runs: AnyPath | None = None,
    on: str = "local",
    workers: int | None = None,
    plugins: Sequence[AnyPlugin] = (),
    listen: AnyListener | None = None,
    tune: Sequence[str] = (),
    tune_trials: int | None = None,
    tune_seeds: int = TUNE_SEEDS,
    on_plan: Callable[[TimeEstimate], None] | None = None,
) -> Comparison:
    """Train variants with the same seeds, and say whether they differ. The first one is the baseline.

        compare("position=learned", "position=rope", task="lm", seeds=10)

    With `tune`, such as `["train.lr=1e-4,1e-3"]`, each variant also takes part with the values that are best on dev.
    With `on_plan` the time that it will take is estimated first, which may mean to train for a moment.
    """
    place.check_place(on, workers)
    store, loaded = Store(runs), load_plugins(plugins)
    unread = _design(variants, task, seeds, settings, metric, store, loaded)
    tuning = Tuning.parse(tune, unread, tune_trials, tune_seeds)
    design = with_texts(unread, corpus)
    executor = place.executor_of(on, workers)
    if on_plan is not None and on == place.LOCAL and tuning is None:
        design.check()
        planned = [
            planned_run(design.task, design.corpus.fingerprint, design.of(variant), seed, variant.name)
            for variant in design.variants
            for seed in design.seeds
        ]
        on_plan(time_of_runs(planned, [design.corpus], store, workers))
    if tuning is not None:
        design.check()
        design = _tuned(design, tuning, store, executor, listen)
    with in_notebook(JobsProgress, listen) as heard:
        return make_comparison(design, store, executor, heard)


def prepare_comparison(
    *variants: str,
    task: str = "classifier",
    corpus: Corpus | AnyPath = "sotu",
    seeds: int | Sequence[int] = 5,
    settings: Mapping[str, Any] | None = None,
    metric: str | None = None,
    runs: AnyPath | None = None,
    plugins: Sequence[AnyPlugin] = (),
) -> Design:
    """What `compare` would compare; its `check` refuses what cannot be compared. Nothing is trained."""
    loaded = load_plugins(plugins)
    return with_texts(_design(variants, task, seeds, settings, metric, Store(runs), loaded), corpus)


def _design(
    variants: Sequence[str],
    task: str,
    seeds: int | Sequence[int],
    settings: Mapping[str, Any] | None,
    metric: str | None,
    store: Store,
    plugins: tuple[tuple[str, str], ...],
) -> Design:
    """What is compared, before its texts are read."""
    return Design(
        task=task_of(task),
        corpus=UNREAD,
        variants=tuple(started(variant, store) for variant in parse_variants(variants)),
        seeds=seeds_of(seeds),
        settings=as_given(settings, store),
        metric=metric,
        plugins=plugins,
        train_at_end=True,
    )


def _tuned(design: Design, tuning: Tuning, store: Store, executor: Executor, listen: AnyListener | None) -> Design:
    """The design with every variant also at the settings that a search found for it."""
    searches = tuning.searches(design)
    for wanted in searches:
        wanted.check()  # All of them, before the first is trained.
    found = []
    for variant, wanted in zip(design.variants, searches, strict=True):
        found.append(make_search(wanted, store, executor, listen or ignore, variant.name))
    return tuning.tuned(design, found)
