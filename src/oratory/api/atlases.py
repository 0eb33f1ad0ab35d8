"""Every mechanism against the base settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from oratory.api.shared import UNREAD, AnyListener, AnyPath, ignore, seeds_of, with_texts
from oratory.comparisons import Variant
from oratory.comparisons.atlas import (
    Atlas,
    AtlasDesign,
    AtlasRecord,
    Stacks,
    design_of,
    entries_of,
    load_atlas,
    make_atlas,
    make_stacks,
    survey,
)
from oratory.comparisons.atlas.design import CONTROLS, LIMIT
from oratory.errors import Failed, InputError
from oratory.execution import place
from oratory.execution.jobs import load_plugins
from oratory.execution.place import no_server_left
from oratory.recipes.estimate import TimeEstimate
from oratory.runs import Store
from oratory.runs.given import as_given
from oratory.searches.make import search as make_search
from oratory.searches.tuning import SEEDS as TUNE_SEEDS
from oratory.searches.tuning import Tuning
from oratory.tables import duration
from oratory.text import Corpus
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
    place.check_place(on, workers)
    loaded, store = load_plugins(plugins), Store(runs)
    unread = AtlasDesign(
        task=task_of(task),
        corpus=UNREAD,
        entries=(),
        seeds=seeds_of(seeds),
        settings=as_given(settings, store),
        metric=metric,
        plugins=loaded,
        limit=limit,
        only=tuple(only),
    )
    tuning = Tuning.parse(tune, unread.beside_itself(), tune_trials, tune_seeds)
    design = with_texts(unread, corpus)
    design = replace(design, entries=entries_of(design.task, design.only, design.settings))
    executor = place.executor_of(on, workers)
    surveyed = survey(design, store, getattr(executor, "here", False), say)
    at_once = workers or getattr(executor, "workers", None) or 1
    count, seconds = surveyed.missing, surveyed.seconds
    if tuning is not None:  # A search for each, and then the whole family again with what was found.
        points = tune_seeds * tuning.searches(design.beside_itself())[0].points
        searched = [each for each in surveyed.trained if each.variant.name not in CONTROLS]
        count += points * len(searched) + len(surveyed.trained) * len(design.seeds)
        seconds += points * sum(each.seconds for each in searched)
        seconds += len(design.seeds) * sum(each.seconds for each in surveyed.trained)
    say(f"{count} runs need {duration(seconds)} of processor time; where others use the cores too, it takes longer.")
    on_plan(TimeEstimate(seconds / at_once, count, surveyed.had, 0, 0, count, at_once))

    def tuned(variants: Sequence[Variant]) -> dict[str, Variant | str]:
        found: dict[str, Variant | str] = {}
        assert tuning is not None
        searches = tuning.searches(design.family(variants))
        for variant, wanted in zip(variants, searches, strict=True):
            try:
                best = make_search(wanted, store, executor, listen or ignore, variant.name)
            except (Failed, InputError) as error:
                found[variant.name] = str(error)
                continue
            found[variant.name] = replace(variant, settings={**variant.settings, **best.best.settings}, search=best.id)
        return found

    return make_atlas(design, surveyed, store, executor, listen, tuned if tuning else None, tune)


@no_server_left()
def stacks(
    atlas: str,
    *,
    best: int = 5,
    choosing: int = 2,
    runs: AnyPath | None = None,
    on: str = "local",
    workers: int | None = None,
    plugins: Sequence[AnyPath] = (),
    listen: AnyListener | None = None,
) -> Stacks:
    """The best mechanisms of an atlas together: all pairs, and a stack that grows while dev gets better.

        stacks("atlas-...", best=5)

    They are chosen on dev with `choosing` seeds of their own, and judged on test with the seeds of the atlas. An atlas
    of your own mechanisms needs their files again.
    """
    place.check_place(on, workers)
    load_plugins(plugins)
    store = Store(runs)
    found, design = load_atlas(atlas, store), design_of(AtlasRecord.read(atlas, store))
    return make_stacks(found, design, store, place.executor_of(on, workers), listen, best, choosing)
