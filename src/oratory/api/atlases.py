"""Every mechanism against the base settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oratory.api.shared import AnyListener, AnyPath, ignore, seeds_of
from oratory.comparisons import Variant
from oratory.comparisons.atlas import Atlas, AtlasDesign, entries_of, make_atlas, survey
from oratory.comparisons.atlas.design import LIMIT
from oratory.errors import Failed, InputError
from oratory.execution import place
from oratory.execution.jobs import load_plugins
from oratory.execution.place import no_server_left
from oratory.recipes.estimate import TimeEstimate
from oratory.runs import Store
from oratory.runs.given import as_given
from oratory.searches.design import SearchDesign
from oratory.searches.make import search as make_search
from oratory.searches.tuning import SEEDS as TUNE_SEEDS
from oratory.searches.tuning import Tuning
from oratory.text import Corpus, as_loaded
from oratory.training.tasks import task_of


@no_server_left()
def atlas(
    *,
    task: str = "classifier",
    corpus: Corpus | AnyPath = "sotu",
    only: Sequence[str] = (),
    seeds: int | Sequence[int] = 5,
    settings: Mapping[str, Any] | None = None,
    metric: str | None = None,
    limit: float = LIMIT,
    runs: AnyPath | None = None,
    on: str = "local",
    workers: int | None = None,
    plugins: Sequence[AnyPath] = (),
    listen: AnyListener | None = None,
    tune: Sequence[str] = (),
    tune_trials: int | None = None,
    tune_seeds: int = TUNE_SEEDS,
    say: Callable[[str], None] = ignore,
    on_plan: Callable[[TimeEstimate], None] = ignore,
) -> Atlas:
    """Every mechanism against the base settings of a task, one at a time, as one family of comparisons.

        atlas(task="lm", only=["position", "attention"], seeds=5)

    A mechanism that leaks, diverges, does not fit or costs more than `limit` times the base has a row with the reason.
    `on_plan` is told how long it will take before anything is trained.
    """
    loaded, store, given = load_plugins(plugins), Store(runs), as_given(settings, Store(runs))
    design = AtlasDesign(
        task=task_of(task),
        corpus=as_loaded(corpus),
        entries=entries_of(task_of(task), tuple(only), given),
        seeds=seeds_of(seeds),
        settings=given,
        metric=metric,
        plugins=loaded,
        limit=limit,
        only=tuple(only),
    )
    if tune:  # What is wrong with it is said before anything is timed.
        _tuning(design, [design.variant(None), design.variant(design.entries[0])], tune, tune_trials, tune_seeds)
    executor = place.executor_of(on, workers)
    surveyed = survey(design, store, getattr(executor, "here", False), say)
    at_once = workers or getattr(executor, "workers", None) or 1
    seconds = surveyed.seconds / at_once
    on_plan(TimeEstimate(seconds, surveyed.missing, surveyed.had, 0, 0, surveyed.missing, at_once))

    def tuned(variants: Sequence[Variant]) -> dict[str, Variant | str]:
        found: dict[str, Variant | str] = {}
        searches = _tuning(design, variants, tune, tune_trials, tune_seeds)
        for variant, wanted in zip(variants, searches, strict=True):
            try:
                best = make_search(wanted, store, executor, listen or ignore, variant.name)
            except (Failed, InputError) as error:
                found[variant.name] = str(error)
                continue
            found[variant.name] = replace(variant, settings={**variant.settings, **best.best.settings}, search=best.id)
        return found

    return make_atlas(design, surveyed, store, executor, listen, tuned if tune else None, tune)


def _tuning(
    design: AtlasDesign, variants: Sequence[Variant], tune: Sequence[str], trials: int | None, seeds: int
) -> list[SearchDesign]:
    """A search for each variant of an atlas, all with the same trials."""
    family = design.family(variants)
    return Tuning.parse(tune, family, trials, seeds).searches(family)
