"""Oratory from Python. The commands call these same functions.

import oratory as ora

run = ora.train("lm", "sotu", {"position": "rope"}, seed=1)
comparison = ora.compare("position=learned", "position=rope", task="lm", seeds=10)
ora.report(comparison, "positions.html")
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from oratory.comparisons import Comparison, Design, Variant, load_comparison, parse_variants
from oratory.comparisons import compare as make_comparison
from oratory.comparisons.atlas import Atlas, AtlasDesign, atlas_entries, atlases_in, entries_of, load_atlas, survey
from oratory.comparisons.atlas.design import LIMIT
from oratory.comparisons.atlas.make import make_atlas
from oratory.comparisons.calibration import calibrate_runs
from oratory.comparisons.ensembles import Ensemble, ensemble_entries, ensembles_in, load_ensemble
from oratory.comparisons.ensembles import ensemble as make_ensemble
from oratory.comparisons.ensembles.make import SIZE
from oratory.comparisons.kept import comparison_entries, comparisons_in
from oratory.comparisons.scales import Scale, ScaleDesign, load_scale, scale_entries, scales_in
from oratory.comparisons.scales import scale as make_scale
from oratory.comparisons.scales.design import SHARES
from oratory.comparisons.standing import Standing, standing_of_run, tested_corpus
from oratory.errors import Failed, InputError, unknown
from oratory.execution.jobs import AnyPlugin, Executor, load_plugins
from oratory.execution.local import Local, start_server, stop_server
from oratory.execution.resume import resume
from oratory.execution.train import train as train_run
from oratory.inspect import attend
from oratory.recipes import HandResult, Reproduction, load_reproduction, plan, recipe_names
from oratory.recipes.estimate import TimeEstimate, planned_run
from oratory.recipes.plan import time_of, time_of_runs
from oratory.reports.jobs import JobsProgress
from oratory.reports.progress import RunProgress, in_notebook
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
from oratory.settings import as_text, joined
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
    "atlas",
    "attend",
    "beside_baselines",
    "calibrate",
    "compare",
    "distill",
    "ensemble",
    "finetune",
    "list_results",
    "load_result",
    "load_run",
    "prepare",
    "prepare_comparison",
    "report",
    "reproduce",
    "resume",
    "scale",
    "search",
    "train",
]

AnyPath = str | os.PathLike[str]
Result = Run | Comparison | Atlas | Ensemble | Scale | Search | Reproduction | HandResult
AnyListener = Callable[[Any], None]


def _ignore(event: Any) -> None:
    """Listen to nothing."""


def train(
    task: str,
    corpus: Corpus | AnyPath = "sotu",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    *,
    runs: AnyPath | None = None,
    listen: RunListener | None = None,
    plugins: Sequence[AnyPlugin] = (),
) -> Run:
    """Train a model and keep its record. The same call again continues a run that was stopped.

        train("lm", "sotu", {"position": "rope", "train.lr": 3e-4}, seed=1)

    A run that is finished already is returned as it is: with the same settings, corpus and seed the result would be
    the same. `plugins` are files with mechanisms of your own, or their classes. A notebook shows a bar.
    """
    with in_notebook(RunProgress, listen) as heard:
        return train_run(task, corpus, settings, seed, runs=runs, listen=heard, plugins=plugins)


@contextmanager
def _no_server_left() -> Iterator[None]:
    """What is refused ends at once, and does not wait for the server of workers that nobody will ask for."""
    try:
        yield
    except InputError:
        stop_server()
        raise


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
    """The run with this id, or whose id begins like this; `last` is the newest that is finished, if any is.

    The model of a run that is not finished is that of its last checkpoint; `run.unfinished` says so in a sentence.
    """
    store = Store(runs)
    return store.current(store.open(store.usable() if name == "last" else name))


def beside_baselines(run: Run) -> Standing:
    """A finished run and the baselines of its corpus on every part of test. Baselines are measured once, and kept."""
    return standing_of_run(run, tested_corpus(run))


@_no_server_left()
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
    if tune_trials is not None and not tune:
        raise InputError(
            "--tune-trials says how much of --tune is tried; say what to tune, as in --tune train.lr=1e-4,1e-3."
        )
    store = Store(runs)
    design = prepare_comparison(
        *variants, task=task, corpus=corpus, seeds=seeds, settings=settings, metric=metric, runs=runs, plugins=plugins
    )
    executor = executor_of(on, workers)
    if on_plan is not None and on == "local" and not tune:
        design.check()
        planned = [
            planned_run(design.task, design.corpus.fingerprint, design.of(variant), seed, variant.name)
            for variant in design.variants
            for seed in design.seeds
        ]
        on_plan(time_of_runs(planned, [design.corpus], store, workers))
    if tune:
        design.check()
        design = _tuned(design, Tuning.parse(tune, design, tune_trials, tune_seeds), store, executor, listen)
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
    """What `compare` would train and compare; its `check` refuses what cannot be. Nothing is trained."""
    loaded, store = load_plugins(plugins), Store(runs)
    return Design(
        task=task_of(task),
        corpus=as_loaded(corpus),
        variants=tuple(_started(variant, store) for variant in parse_variants(variants)),
        seeds=seeds_of(seeds),
        settings=as_given(settings, store),
        metric=metric,
        plugins=loaded,
        train_at_end=True,
    )


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


def ensemble(
    *names: str,
    size: int = SIZE,
    metric: str | None = None,
    counts: float | None = None,
    runs: AnyPath | None = None,
) -> Ensemble:
    """The runs of one variant over its seeds as one model, which gives the mean of their probabilities.

    Runs are named by their ids; a comparison gives an ensemble of each of its variants. Verdicts are on ensembles of
    `size` runs, of which none is in two of them. With `counts`, language models also stand there mixed with Kneser-Ney
    n-grams of train, which have this share. Nothing is trained.
    """
    if not names:
        raise InputError("Name the runs of an ensemble, or a comparison.")
    return make_ensemble(names, Store(runs), size, metric, counts)


def distill(
    found: Ensemble,
    variant: str | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    seed: int | None = None,
    listen: RunListener | None = None,
) -> Run:
    """Train one model on the probabilities of an ensemble, with the settings of its members unless others are given.

    Of several variants, the first one teaches unless another is named. The seed is one that no member has.
    """
    if variant is not None and variant not in found.members:
        raise unknown("variant", variant, found.members)
    assert found.store is not None
    members = [found.store.open(run) for run in found.members[variant or next(iter(found.members))] if run]
    given = {**members[0].given, **as_given(settings, found.store), "train.smoothing": "0", "train.rdrop": "0"}
    if not members[0].task.uses("train.rdrop"):
        del given["train.rdrop"]
    given["train.teachers"] = joined(tuple(str(run.folder.resolve()) for run in members))
    seed = max(run.seed for run in members) + 1 if seed is None else seed
    return train(found.task.name, tested_corpus(members[0]), given, seed, runs=found.store.folder, listen=listen)


@_no_server_left()
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
    say: Callable[[str], None] = _ignore,
    on_plan: Callable[[TimeEstimate], None] | None = None,
) -> Scale:
    """Train variants on nested parts of train, and say at which size which of them, or which baseline, is best.

        scale("base", "width=128", task="lm", sizes=[0.1, 0.3, 1], seeds=5)

    With `on_plan` the time that it will take is estimated first, which may mean to train for a moment.
    """
    loaded, store = load_plugins(plugins), Store(runs)
    design = ScaleDesign(
        task=task_of(task),
        corpus=as_loaded(corpus),
        variants=tuple(_started(variant, store) for variant in parse_variants(variants or ["base"])),
        shares=tuple(sizes),
        seeds=seeds_of(seeds),
        settings=as_given(settings, store),
        metric=metric,
        plugins=loaded,
    )
    executor = executor_of(on, workers)
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


@_no_server_left()
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
    say: Callable[[str], None] = _ignore,
    on_plan: Callable[[TimeEstimate], None] = _ignore,
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
    executor = executor_of(on, workers)
    surveyed = survey(design, store, getattr(executor, "here", False), say)
    at_once = workers or getattr(executor, "workers", None) or 1
    seconds = surveyed.seconds / at_once
    on_plan(TimeEstimate(seconds, surveyed.missing, surveyed.had, 0, 0, surveyed.missing, at_once))

    def tuned(variants: Sequence[Variant]) -> dict[str, Variant | str]:
        found: dict[str, Variant | str] = {}
        searches = _tuning(design, variants, tune, tune_trials, tune_seeds)
        for variant, wanted in zip(variants, searches, strict=True):
            try:
                best = make_search(wanted, store, executor, listen or _ignore, variant.name)
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


@_no_server_left()
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
    executor = executor_of(on, workers)
    if on_plan is not None and on == "local":
        design.check()
        first = {**shared, **next(design.space.probes())}
        planned = [
            planned_run(design.task, design.ready.fingerprint, first, number, "the first point")
            for number in range(design.points * len(design.seeds))
        ]
        on_plan(time_of_runs(planned, [design.ready], store, workers))
    with in_notebook(JobsProgress, listen) as heard:
        return make_search(design, store, executor, heard or _ignore)


@_no_server_left()
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
    """A run, or a result that was made of runs, by its id or its beginning; or a recipe that was run, by its name."""
    store = Store(runs)
    if name in recipe_names():
        return load_reproduction(name, store)
    loaders = {
        each: load
        for found_in, load in (
            (comparisons_in, load_comparison),
            (atlases_in, load_atlas),
            (ensembles_in, load_ensemble),
            (scales_in, load_scale),
            (searches_in, load_search),
        )
        for each in found_in(store)
    }
    if name == "last" or store.has(name) or store.called(name):
        return load_run(name, runs)
    found = [name] if name in loaders else [*(each for each in loaders if each.startswith(name)), *store.matching(name)]
    if not found or not name:
        known = [*loaders, *recipe_names(), *store.matching("")]
        raise unknown("run, comparison, atlas, ensemble, scale, search or recipe", name, known)
    if len(found) > 1:
        some = ", ".join(sorted(found)[:5])
        raise InputError(f"{name!r} begins {len(found)} ids: {some}; write more of it.")
    if found[0] in loaders:
        return loaders[found[0]](found[0], store)
    return store.current(store.open(found[0]))


def list_results(runs: AnyPath | None = None) -> KeptResults:
    """The results that a store keeps besides its runs, the newest first, with the ids that `report` takes."""
    store = Store(runs)
    entries = (comparison_entries, atlas_entries, ensemble_entries, scale_entries, search_entries)
    found = [entry for each in entries for entry in each(store)]
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
    if isinstance(result, Scale):
        return result.runs()
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
