"""Searching settings: rounds of points, several seeds to a point, chosen on dev and never on test."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from oratory.comparisons.standing import standing_of
from oratory.errors import Failed, InputError
from oratory.execution.jobs import Executor
from oratory.runs import Interrupted, Store
from oratory.searches.design import SearchDesign
from oratory.searches.events import SearchBegun, SearchListener
from oratory.searches.record import SearchRecord, held, need_optuna, open_study
from oratory.searches.result import BEST, Search, TrialFacts, choose_best
from oratory.searches.running import RunningSearch
from oratory.searches.space import Space, setting_kinds
from oratory.text import reload_corpus
from oratory.training.origins import contract_of, origin_of
from oratory.training.tasks import task_of

if TYPE_CHECKING:
    from oratory.searches.study import Study


def search(
    design: SearchDesign,
    store: Store,
    executor: Executor,
    listen: SearchListener = lambda event: None,
    variant: str = "",
) -> Search:
    """Try the points that are missing, and say what was found. The same design again continues where it stopped."""
    need_optuna()
    design.check()
    design.check_room(store, here=getattr(executor, "here", False))
    with held(design.id, store) as path:
        from oratory.searches.study import Study

        listen(SearchBegun(design, variant))
        work = RunningSearch(design, store, executor, listen, Study(path, design.to_dict()))
        try:
            lost = work.go()
        except (Interrupted, KeyboardInterrupt):  # In the middle of a run, or between two.
            raise Interrupted(_left_behind(design, work.study)) from None
        found = _search(design, work.study, lost)
        if not all(map(store.has, found.best.runs)):  # Someone removed them; they come out the same again.
            work.train({found.best.number: found.best.settings}, design.seeds)
        return _with_test(found, design, store)


def _left_behind(design: SearchDesign, study: "Study") -> str:
    """What a search that is stopped leaves behind, in sentences."""
    ended = study.ended()
    best = choose_best(ended, design.metric.better)
    words = "" if best is None else " ".join(f"{name}={value}" for name, value in best.settings.items())
    shown = (
        ""
        if best is None
        else f" The best so far: {words}, {design.metric.column} on dev {design.metric.show(best.mean)}."
    )
    return (
        f"Stopped after {len(ended)} of {design.points} trials. These are kept in {design.id}, and so are the runs "
        f"that were under way.{shown} The same command continues from there."
    )


def trials_ended(design: SearchDesign, store: Store) -> int:
    """How many trials of this search have ended already."""
    return len(open_study(design.id, store).ended()) if design.id in SearchRecord.names(store) else 0


def load_search(name: str, store: Store) -> Search:
    """A search that was made before, by its id."""
    study = open_study(name, store)
    record = SearchRecord.of(study)
    design = SearchDesign(
        task=task_of(record.task),
        corpus=reload_corpus("search", name, record.source, record.fingerprint),
        space=Space.parse(record.words, setting_kinds(origin_of(record.settings))),
        method=record.method,
        trials=record.trials,
        seeds=record.seeds,
        settings=record.settings,
        search_seed=record.search_seed,
        at_once=record.at_once,
        prune=record.prune,
        plugins=tuple((path, "") for path in record.plugins),
    )
    return _with_test(_search(design, study, {}, name), design, store)


def _search(design: SearchDesign, study: "Study", lost: Mapping[int, TrialFacts], name: str = "") -> Search:
    """What the trials show, but for test."""
    told = {trial.number: trial for trial in study.ended()} | dict(lost)
    trials = tuple(trial for number, trial in sorted(told.items()) if number < design.points)
    best = choose_best(trials, design.metric.better)
    if best is None:
        problem = next((trial.problem for trial in trials if trial.problem), "there is none.")
        raise Failed(f"No trial ended well: {problem}")
    return Search(
        id=name or design.id,
        task=design.task,
        corpus=design.corpus.name,
        fingerprint=design.corpus.fingerprint,
        carving=design.ready.carving,
        metric=design.metric,
        method=design.method,
        space=design.space.to_dict(),
        settings=dict(design.settings),
        seeds=design.seeds,
        search_seed=design.search_seed,
        at_once=design.at_once,
        prune=design.prune,
        trials=trials,
        best=best,
        test=None,
        importance=study.importance(design.points),
        source=design.corpus.source,
        plugins=tuple(path for path, _ in design.plugins),
        warnings=_warnings(design, best),
    )


def _warnings(design: SearchDesign, best: TrialFacts) -> tuple[str, ...]:
    """What the contract says of the best settings; nothing where their mechanisms are not loaded."""
    try:
        contract = contract_of(design.task, {**design.settings, **best.settings})
    except InputError:
        return ()
    if contract is None or not contract.leaks:
        return ()
    return (f"No point of this space is a {design.task.noun}, since it sees the future. {contract.declared[0]}",)


def _with_test(found: Search, design: SearchDesign, store: Store) -> Search:
    """The search with the figures of test: of the best settings alone, now that they are chosen."""
    if not design.task.has(design.ready, "test"):
        return found
    runs = {BEST: [store.open(run) for run in found.best.runs]}
    return replace(found, test=standing_of(design.task, design.ready, runs, store.folder, design.test_metric))
