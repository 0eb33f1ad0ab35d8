"""Oratory from Python. The commands call these same functions.

import oratory as ora

run = ora.train("lm", "sotu", {"position": "rope"}, seed=1)
comparison = ora.compare("position=learned", "position=rope", task="lm", seeds=10)
ora.report(comparison, "positions.html")
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from oratory.comparisons import Comparison, Design, Variant, load_comparison, parse_variants
from oratory.comparisons import compare as make_comparison
from oratory.comparisons.calibration import calibrate_runs
from oratory.comparisons.kept import comparison_entries, comparisons_in
from oratory.comparisons.standing import Standing, standing_of_run, tested_corpus
from oratory.errors import InputError, unknown
from oratory.execution.jobs import Executor, load_plugins
from oratory.execution.local import Local, start_server
from oratory.execution.resume import resume
from oratory.execution.train import train
from oratory.recipes import HandResult, Reproduction, load_reproduction, plan, recipe_names
from oratory.recipes.estimate import TimeEstimate
from oratory.recipes.plan import time_of
from oratory.reports.results import write_report
from oratory.runs import Run, RunListener, Store
from oratory.runs.results import KeptResults
from oratory.runs.started import as_given
from oratory.searches.design import AT_ONCE, SEEDS, SearchDesign
from oratory.searches.make import load_search, search_entries, searches_in
from oratory.searches.make import search as make_search
from oratory.searches.result import Search
from oratory.searches.space import Space, setting_kinds
from oratory.searches.tuning import SEEDS as TUNE_SEEDS
from oratory.searches.tuning import Tuning
from oratory.settings import as_text
from oratory.statistics.calibration import TRIALS
from oratory.statistics.calibration import calibrate as simulate_verdicts
from oratory.statistics.rates import Calibration
from oratory.text import Corpus, as_loaded
from oratory.training.origins import origin_of
from oratory.training.origins import prepare as prepare_run
from oratory.training.origins.origin import MODEL, OWN_RUN
from oratory.training.prepared import Prepared
from oratory.training.tasks import task_of

__all__ = [
    "beside_baselines",
    "calibrate",
    "compare",
    "finetune",
    "list_results",
    "load_result",
    "load_run",
    "prepare",
    "report",
    "reproduce",
    "resume",
    "search",
    "train",
]

AnyPath = str | os.PathLike[str]
Result = Run | Comparison | Search | Reproduction | HandResult
AnyListener = Callable[[Any], None]


def _ignore(event: Any) -> None:
    """Listen to nothing."""


def finetune(
    model: AnyPath = "minilm",
    corpus: Corpus | AnyPath = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    task: str | None = None,
    runs: AnyPath | None = None,
    listen: RunListener | None = None,
) -> Run:
    """Fine-tune a run of one's own, or a published encoder: `minilm`, a folder, or the name of a model on the hub.

    A run is named by its id, by the beginning of it, or as `last`. What is trained is a classifier, unless `task` says
    otherwise.
    """
    given = as_given({"model": os.fspath(model), **(settings or {})}, Store(runs))
    return train(task or origin_of(given).served()[0].name, corpus, given, seed, runs=runs, listen=listen)


def prepare(
    task: str,
    corpus: Corpus | AnyPath = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: AnyPath | None = None,
) -> Prepared:
    """What `train` would train, with every setting and the number of parameters. Nothing is trained."""
    return prepare_run(task, as_loaded(corpus), as_given(settings, Store(runs)), seed)


def load_run(name: str = "last", runs: AnyPath | None = None) -> Run:
    """The run with this id, or whose id begins like this; `last` is the newest that is finished, if any is."""
    store = Store(runs)
    return store.open(store.usable() if name == "last" else name)


def beside_baselines(run: Run) -> Standing:
    """A finished run and the baselines of its corpus on every part of test. Baselines are measured once, and kept."""
    return standing_of_run(run, tested_corpus(run))


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
    plugins: Sequence[AnyPath] = (),
    listen: AnyListener | None = None,
    tune: Sequence[str] = (),
    tune_trials: int | None = None,
    tune_seeds: int = TUNE_SEEDS,
) -> Comparison:
    """Train variants with the same seeds, and say whether they differ. The first one is the baseline.

        compare("position=learned", "position=rope", task="lm", seeds=10)

    With `tune`, such as `["train.lr=1e-4,1e-3"]`, each variant also takes part with the values that are best on dev.
    """
    if tune_trials is not None and not tune:
        raise InputError(
            "--tune-trials says how much of --tune is tried; say what to tune, as in --tune train.lr=1e-4,1e-3."
        )
    loaded, store = load_plugins(plugins), Store(runs)
    design = Design(
        task=task_of(task),
        corpus=as_loaded(corpus),
        variants=tuple(_started(variant, store) for variant in parse_variants(variants)),
        seeds=seeds_of(seeds),
        settings=as_given(settings, store),
        metric=metric,
        plugins=loaded,
        train_at_end=True,
    )
    executor = executor_of(on, workers)
    if tune:
        design.check()
        design = _tuned(design, Tuning.parse(tune, design, tune_trials, tune_seeds), store, executor, listen)
    return make_comparison(design, store, executor, listen)


def _started(variant: Variant, store: Store) -> Variant:
    """A variant whose model may be a run of the store: without a name of its own, it has the id of the run in it."""
    settings = as_given(variant.settings, store)
    if not variant.spelled or settings == variant.settings:
        return replace(variant, settings=settings)
    shown = settings | {MODEL: Path(settings[MODEL].removeprefix(OWN_RUN)).name}
    return replace(variant, name=" ".join(f"{name}={value}" for name, value in shown.items()), settings=settings)


def _tuned(design: Design, tuning: Tuning, store: Store, executor: Executor, listen: AnyListener | None) -> Design:
    """The design with every variant also at the settings that a search found for it."""
    searches = tuning.searches(design)
    for wanted in searches:
        wanted.check()  # All of them, before the first is trained.
    found = []
    for variant, wanted in zip(design.variants, searches, strict=True):
        found.append(make_search(wanted, store, executor, listen or _ignore, variant.name))
    return tuning.tuned(design, found)


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
    plugins: Sequence[AnyPath] = (),
    listen: AnyListener | None = None,
) -> Search:
    """Search the settings that do best on dev, over several seeds each. Test is measured for the best ones alone.

        search("train.lr=1e-4..1e-2", "train.batch=16,32,64", trials=20, seeds=3)

    With `settings={"model": "minilm"}` that model is fine-tuned.
    """
    loaded, store = load_plugins(plugins), Store(runs)
    shared = as_given(settings, store)
    design = SearchDesign(
        task=task_of(task),
        space=Space.parse(space, setting_kinds(origin_of(shared))),
        corpus=as_loaded(corpus),
        method=method,
        trials=trials,
        seeds=seeds_of(seeds),
        settings=shared,
        search_seed=search_seed,
        at_once=at_once,
        prune=prune,
        plugins=loaded,
    )
    return make_search(design, store, executor_of(on, workers), listen or _ignore)


def reproduce(
    *names: str,
    seeds: int | Sequence[int] | None = None,
    data: AnyPath | None = None,
    settings: Mapping[str, Any] | None = None,
    runs: AnyPath | None = None,
    on: str = "local",
    workers: int | None = None,
    listen: AnyListener | None = None,
    say: Callable[[str], None] = _ignore,
    on_plan: Callable[[TimeEstimate], None] | None = None,
    on_result: Callable[[Reproduction | HandResult], None] = _ignore,
) -> list[Reproduction | HandResult]:
    """Run recipes; all of them if none is named.

    For example `reproduce("r2-window", seeds=10)`. With `on_plan` the time that it will take is estimated first, which
    may mean to train for a moment. `say` is told what happens, and `on_result` gets each result as soon as it is there.
    """
    chosen = None if seeds is None else seeds_of(seeds)
    planned = plan(names or recipe_names(), chosen, None if data is None else os.fspath(data), as_text(settings))
    executor, store = executor_of(on, workers), Store(runs)
    if on_plan is not None:
        on_plan(time_of(planned, store, workers, say))
    found = []
    for entry in planned:
        say(f"{entry.recipe.name}: {entry.recipe.title}")
        found.append(entry.run(store, executor, listen))
        on_result(found[-1])
    return found


def calibrate(
    like: str | None = None,
    *,
    seeds: int | None = None,
    trials: int = TRIALS,
    seed: int = 0,
    runs: AnyPath | None = None,
) -> Calibration:
    """Check the verdicts by simulation: their false positives and their power, beside the promised rates.

    With `like`, the id of a run, on real scores: of the stored runs that differ from it in their seed only, `seeds`
    are compared with as many others.
    """
    if seed < 0:
        raise InputError(f"--seed {seed}: a seed is not negative.")
    if like is not None:
        return calibrate_runs(Store(runs), like, seeds, trials, seed)
    if seeds is not None:
        raise InputError("--seeds says how many stored runs are on each side; say which runs with --like RUN.")
    return simulate_verdicts(trials, seed)


def load_result(name: str, runs: AnyPath | None = None) -> Result:
    """A run, a comparison or a search by its id or its beginning, or a recipe that was run by its name."""
    store = Store(runs)
    if name in recipe_names():
        return load_reproduction(name, store)
    comparisons, searches = comparisons_in(store), searches_in(store)
    kept = [*comparisons, *searches]
    if name == "last" or store.has(name):
        return load_run(name, runs)
    found = [name] if name in kept else [*(each for each in kept if each.startswith(name)), *store.matching(name)]
    if not found or not name:
        known = [*kept, *recipe_names(), *store.matching("")]
        raise unknown("run, comparison, search or recipe", name, known)
    if len(found) > 1:
        some = ", ".join(sorted(found)[:5])
        raise InputError(f"{name!r} begins {len(found)} ids: {some}; write more of it.")
    if found[0] in comparisons:
        return load_comparison(found[0], store)
    return load_search(found[0], store) if found[0] in searches else store.open(found[0])


def list_results(runs: AnyPath | None = None) -> KeptResults:
    """The comparisons and searches of a store, the newest first, with the ids that `report` and `load_result` take."""
    store = Store(runs)
    found = [*comparison_entries(store), *search_entries(store)]
    return KeptResults(tuple(sorted(found, key=lambda entry: entry.created, reverse=True)))


def report(
    result: Result | str,
    path: AnyPath | None = None,
    runs: AnyPath | None = None,
) -> tuple[Path, ...]:
    """Write a report on a result, or on one of the store by its name; the files, the main one first.

    The suffix of the path says what kind: .html, .pdf, .md, .tex or .csv; a name without one is a folder for all.
    """
    found = load_result(result, runs) if isinstance(result, str) else result
    for run in _runs_of(found):
        run.check_plugins()
    return write_report(found, path if path is not None else f"{name_of(found)}.html")


def _runs_of(result: Result) -> list[Run]:
    """The runs that a report is on; recipes have no plugins."""
    if isinstance(result, Comparison):
        return [run for found in result.runs().values() for run in found]
    return [result] if isinstance(result, Run) else []


def name_of(result: Result) -> str:
    """The name that a result has in the store."""
    return result.recipe.name if isinstance(result, Reproduction | HandResult) else result.id


def executor_of(on: str, workers: int | None = None) -> Executor:
    """Who trains the runs: this machine, or Ray."""
    if workers is not None and workers < 1:
        raise InputError(f"--workers {workers}: at least one is needed.")
    if on == "local":
        start_server()  # What it loads is there when the first run begins.
        return Local(workers)
    if on == "ray" or on.startswith("ray://"):
        from oratory.execution.ray import OnRay

        return OnRay(None if on == "ray" else on, workers)
    raise InputError(f"There is no place {on!r} to train on. Known: local, ray, ray://HOST:PORT.")


def seeds_of(seeds: int | Sequence[int]) -> tuple[int, ...]:
    """How many seeds, or the seeds themselves."""
    return tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)
