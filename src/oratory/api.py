"""Oratory from Python. The commands call these same functions.

import oratory as ora

run = ora.train("lm", "sotu", {"position": "rope"}, seed=1)
comparison = ora.compare("position=learned", "position=rope", task="lm", seeds=10)
ora.report(comparison, "positions.html")
"""

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from oratory.comparisons import Comparison, Design, load_comparison, parse_variants
from oratory.comparisons import compare as make_comparison
from oratory.comparisons.make import comparisons_in
from oratory.errors import InputError, unknown
from oratory.execution.jobs import Executor, read_plugins
from oratory.execution.local import Local
from oratory.execution.resume import resume
from oratory.execution.train import train as train_run
from oratory.mechanisms import REGISTRY
from oratory.recipes import Reproduction, load_reproduction, plan, recipe_names, run_recipe
from oratory.reports.results import write_report
from oratory.runs import Listener, Run, Store
from oratory.searches.design import AT_ONCE, SEEDS, SearchDesign
from oratory.searches.make import load_search, searches_in
from oratory.searches.make import search as make_search
from oratory.searches.result import Search
from oratory.searches.space import Space, setting_kinds
from oratory.searches.tuning import SEEDS as TUNE_SEEDS
from oratory.searches.tuning import Tuning
from oratory.settings import as_text
from oratory.text import Corpus, as_loaded
from oratory.training.origins import origin_of
from oratory.training.tasks import task_of

__all__ = [
    "compare",
    "finetune",
    "load_result",
    "load_run",
    "report",
    "reproduce",
    "resume",
    "search",
    "train",
]

AnyPath = str | os.PathLike[str]
AnyListener = Callable[[Any], None]


def train(
    task: str,
    corpus: Corpus | AnyPath = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: AnyPath | None = None,
    listen: Listener | None = None,
) -> Run:
    """Train a model and keep its record; the same call again continues a run that was stopped.

    For example `train("lm", "sotu", {"position": "rope", "train.lr": 3e-4}, seed=1)`.
    """
    return train_run(task, corpus, settings, seed, runs=runs, listen=listen)


def finetune(
    model: AnyPath = "minilm",
    corpus: Corpus | AnyPath = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: AnyPath | None = None,
    listen: Listener | None = None,
) -> Run:
    """Fine-tune a published encoder: `minilm`, a folder, or the name of a model on the hub."""
    given = {"model": os.fspath(model), **(settings or {})}
    return train_run("classifier", corpus, given, seed, runs=runs, listen=listen)


def load_run(name: str = "last", runs: AnyPath | None = None) -> Run:
    """The run with this id, or whose id begins like this, or the newest one."""
    return Store(runs).open(name)


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
    load_plugins(plugins)
    design = Design(
        task=task_of(task),
        corpus=as_loaded(corpus),
        variants=parse_variants(variants),
        seeds=seeds_of(seeds),
        settings=_shared(settings),
        metric=metric,
        plugins=read_plugins(plugins),
    )
    executor, store = executor_of(on, workers), Store(runs)
    if tune:
        design = _tuned(design, Tuning.parse(tune, design, tune_trials, tune_seeds), store, executor, listen)
    return make_comparison(design, store, executor, listen)


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
    load_plugins(plugins)
    shared = _shared(settings)
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
        plugins=read_plugins(plugins),
    )
    return make_search(design, Store(runs), executor_of(on, workers), listen or _ignore)


def reproduce(
    *names: str,
    seeds: int | Sequence[int] | None = None,
    data: AnyPath | None = None,
    settings: Mapping[str, Any] | None = None,
    runs: AnyPath | None = None,
    on: str = "local",
    workers: int | None = None,
    listen: AnyListener | None = None,
) -> list[Reproduction]:
    """Run recipes; all of them if none is named.

    For example `reproduce("r2-window", seeds=10)`.
    """
    chosen = None if seeds is None else seeds_of(seeds)
    planned = plan(names or recipe_names(), chosen, None if data is None else os.fspath(data), as_text(settings))
    executor, store = executor_of(on, workers), Store(runs)
    return [run_recipe(entry, store, executor, listen) for entry in planned]


def load_result(name: str, runs: AnyPath | None = None) -> Run | Comparison | Search | Reproduction:
    """A run, a comparison or a search by its id, or a recipe that was run by its name."""
    store = Store(runs)
    if name in comparisons_in(store):
        return load_comparison(name, store)
    if name in searches_in(store):
        return load_search(name, store)
    if name in recipe_names():
        return load_reproduction(name, store)
    if name != "last" and not store.matching(name):
        known = [*comparisons_in(store), *searches_in(store), *recipe_names(), *store.matching("")]
        raise unknown("run, comparison, search or recipe", name, known)
    return store.open(name)


def report(
    result: Run | Comparison | Search | Reproduction | str,
    path: AnyPath | None = None,
    runs: AnyPath | None = None,
) -> tuple[Path, ...]:
    """Write a report on a result, or on one of the store by its name; the files, the main one first.

    The suffix of the path says what kind: .html, .pdf, .md, .tex or .csv; a name without one is a folder for all.
    """
    found = load_result(result, runs) if isinstance(result, str) else result
    return write_report(found, path if path is not None else f"{name_of(found)}.html")


def name_of(result: Run | Comparison | Search | Reproduction) -> str:
    """The name that a result has in the store."""
    return result.recipe.name if isinstance(result, Reproduction) else result.id


def load_plugins(paths: Sequence[AnyPath]) -> None:
    """Add the mechanisms of users' own files."""
    for path in paths:
        REGISTRY.load_plugin(Path(path))


def executor_of(on: str, workers: int | None = None) -> Executor:
    """Who trains the runs: this machine, or Ray."""
    if workers is not None and workers < 1:
        raise InputError(f"--workers {workers}: at least one is needed.")
    if on == "local":
        return Local(workers)
    if on == "ray" or on.startswith("ray://"):
        from oratory.execution.ray import OnRay

        return OnRay(None if on == "ray" else on, workers)
    raise InputError(f"There is no place {on!r} to train on. Known: local, ray, ray://HOST:PORT.")


def seeds_of(seeds: int | Sequence[int]) -> tuple[int, ...]:
    """How many seeds, or the seeds themselves."""
    return tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)


def _shared(settings: Mapping[str, Any] | None) -> dict[str, str]:
    """Settings of all runs, as records keep them."""
    given = as_text(settings)
    return origin_of(given).given(given)


def _ignore(event: Any) -> None:
    """Listen to nothing."""
