"""Searching settings: rounds of points, several seeds to a point, chosen on dev and never on test."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from oratory.comparisons.dev import dev_mean
from oratory.comparisons.measures import measures_of
from oratory.comparisons.standing import standing_of
from oratory.errors import Failed, InputError
from oratory.execution.jobs import Executor, Job, JobsPlanned, Outcome, Shared, Step, work_through
from oratory.ids import is_id
from oratory.records import typed
from oratory.runs import Interrupted, Run, Store
from oratory.runs.results import KeptResult
from oratory.searches.design import SearchDesign
from oratory.searches.kept import KeptSearch
from oratory.searches.result import BEST, COMPLETE, FAILED, PRUNED, Search, TrialFacts, choose_best
from oratory.searches.space import Space, setting_kinds
from oratory.statistics import Better
from oratory.text import reload_corpus
from oratory.text.load import source_text
from oratory.training.origins import contract_of, origin_of
from oratory.training.tasks import task_of

if TYPE_CHECKING:
    from oratory.searches.study import DrawnPoint, Study

FOLDER = "searches"
WARMUP = 5
"""First seeds of other points that must be known before a point is pruned."""


@dataclass(frozen=True)
class SearchBegun:
    """A search begins; `variant` names what it is for, in a comparison."""

    design: SearchDesign
    variant: str = ""


@dataclass(frozen=True)
class TrialEnded:
    """A trial has ended."""

    trial: TrialFacts
    best: TrialFacts | None
    """So far."""


SearchListener = Callable[[SearchBegun | Step | Outcome | TrialEnded], None]


def search(
    design: SearchDesign,
    store: Store,
    executor: Executor,
    listen: SearchListener = lambda event: None,
    variant: str = "",
) -> Search:
    """Try the points that are missing, and say what was found. The same design again continues where it stopped."""
    _need_optuna()
    design.check()
    design.check_room(store, here=getattr(executor, "here", False))
    with _held(store, design.id) as path:
        from oratory.searches.study import Study

        listen(SearchBegun(design, variant))
        work = _RunningSearch(design, store, executor, listen, Study(path, design.to_dict()))
        try:
            lost = work.go()
        except Interrupted:
            raise Interrupted(_kept_so_far(design, work.study)) from None
        found = _search(design, work.study, lost)
        if not all(map(store.has, found.best.runs)):  # Someone removed them; they come out the same again.
            work.train({found.best.number: found.best.settings}, design.seeds)
        return _with_test(found, design, store)


def _kept_so_far(design: SearchDesign, study: "Study") -> str:
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


def searches_in(store: Store) -> list[str]:
    """The searches of a store."""
    return sorted(found.stem for found in (store.folder / FOLDER).glob("*.sqlite") if is_id(found.stem))


def search_entries(store: Store) -> list[KeptResult]:
    """What a list says of the searches of a store; of one that cannot be read, that it cannot."""
    found = []
    for name in searches_in(store):
        path = store.folder / FOLDER / f"{name}.sqlite"
        try:
            _need_optuna()
            from oratory.searches.study import Study

            design = Study(path).design
            words = " ".join(f"{key}={value}" for key, value in design["space"].items())
            found.append(KeptResult.of("search", name, path, f"{design['task']}: {words}", len(design["seeds"])))
        except (InputError, KeyError, TypeError, AttributeError):
            found.append(KeptResult.of("search", name, path, "cannot be read"))
    return found


def load_search(name: str, store: Store) -> Search:
    """A search that was made before, by its id."""
    _need_optuna()
    from oratory.searches.study import Study

    path = store.folder / FOLDER / f"{name}.sqlite"
    if name not in searches_in(store):
        known = ", ".join(searches_in(store)) or "none"
        raise InputError(f"There is no search {name!r} in {store.folder}. Known: {known}.")
    study = Study(path)
    values = study.design
    kept = typed(KeptSearch, {**values, "source": source_text(values.get("source"))}, path)
    words = [f"{key}={value}" for key, value in kept.space.items()]
    design = SearchDesign(
        task=task_of(kept.task),
        corpus=reload_corpus("search", name, kept.source, kept.fingerprint),
        space=Space.parse(words, setting_kinds(origin_of(kept.settings))),
        method=kept.method,
        trials=kept.trials,
        seeds=kept.seeds,
        settings=kept.settings,
        search_seed=kept.search_seed,
        at_once=kept.at_once,
        prune=kept.prune,
        plugins=tuple((path, "") for path in kept.plugins),
    )
    return _with_test(_search(design, study, {}, name), design, store)


def is_worse(value: float, others: Sequence[float], better: Better) -> bool:
    """Whether the first seed of a point is worse than the median of the first seeds of others, if there are enough.

    Optuna's median pruner compares with complete trials only, and so would prune less the more it has pruned.
    """
    if len(others) < WARMUP:
        return False
    return value < median(others) if better == "higher" else value > median(others)


class _RunningSearch:
    """A search in progress."""

    def __init__(
        self, design: SearchDesign, store: Store, executor: Executor, listen: SearchListener, study: "Study"
    ) -> None:
        self.design, self.store, self.executor, self.listen, self.study = design, store, executor, listen, study
        self.metric = design.metric

    def go(self) -> dict[int, TrialFacts]:
        """Try all points, round by round; returns the trials whose failure may not happen again."""
        design = self.design
        lost: dict[int, TrialFacts] = {}
        while True:
            waiting = [number for number in self.study.waiting() if number not in lost]
            first = min([*waiting, len(self.study)])
            if first >= design.points:
                return lost
            # Rounds begin at the same trials however often the search was stopped.
            end = min(design.points, (first // design.at_once + 1) * design.at_once)
            numbers = [number for number in range(first, end) if number in waiting or number >= len(self.study)]
            asked = [self.study.ask(n, design.drawn, design.method, design.search_seed) for n in numbers]
            for point, facts in zip(asked, self._round(asked, end), strict=True):
                if facts.state == FAILED and not facts.diverged:
                    lost[point.number] = facts
                else:
                    self.study.tell(point, facts)
                self.listen(TrialEnded(facts, choose_best(self.study.ended(), self.metric.better)))

    def _round(self, asked: Sequence["DrawnPoint"], end: int) -> list[TrialFacts]:
        """Try some points: the first seed of all of them, then the others where that was no worse than usual."""
        design = self.design
        points = {point.number: point.settings for point in asked}
        stages = [design.seeds[:1], design.seeds[1:]] if design.prune and len(design.seeds) > 1 else [design.seeds]
        outcomes = self.train(points, stages[0])
        pruned: set[int] = set()
        if len(stages) > 1:
            pruned = self._pruned(points, outcomes, end)
            fine = {
                number: settings
                for number, settings in points.items()
                if number not in pruned and outcomes[number, design.seeds[0]].run is not None
            }
            outcomes |= self.train(fine, stages[1])
        return [self._facts(point, outcomes, point.number in pruned) for point in asked]

    def _pruned(
        self, points: Mapping[int, Mapping[str, str]], outcomes: Mapping[tuple[int, int], Outcome], end: int
    ) -> set[int]:
        firsts = {trial.number: trial.values[0] for trial in self.study.ended() if trial.number < end and trial.values}
        for number in points:
            run = outcomes[number, self.design.seeds[0]].run
            if run is not None:
                firsts[number] = dev_mean(self.store.open(run), self.metric)
        return {
            number
            for number in points
            if number in firsts
            and is_worse(
                firsts[number],
                [value for other, value in firsts.items() if other != number],
                self.metric.better,
            )
        }

    def train(self, points: Mapping[int, Mapping[str, str]], seeds: Sequence[int]) -> dict[tuple[int, int], Outcome]:
        """Every point with every seed. Two points that are the same share their runs."""
        owner: dict[tuple[tuple[str, str], ...], int] = {}
        same = {number: owner.setdefault(tuple(settings.items()), number) for number, settings in points.items()}
        jobs = {number: self.design.jobs(number, points[number], seeds) for number in dict.fromkeys(same.values())}
        # All points with one seed before any with the next one.
        ordered: list[Job] = [job for row in zip(*jobs.values(), strict=True) for job in row]
        shared = Shared(self.design.ready, str(self.store.folder.resolve()), self.design.plugins)
        done = work_through(ordered, shared, self.executor, self._tell)
        return {
            (number, job.seed): done[job.variant, job.seed] for number, other in same.items() for job in jobs[other]
        }

    def _tell(self, event: JobsPlanned | Step | Outcome) -> None:
        """Pass an event on; the runs of one round are no plan of the whole search."""
        if not isinstance(event, JobsPlanned):
            self.listen(event)

    def _interval(self, runs: Sequence[Run]) -> tuple[float, float] | None:
        """The 95% interval of the mean over the seeds and the items of dev; one seed has none."""
        if len(runs) < 2:
            return None
        measures = measures_of(self.design.task, self.metric, self.design.ready, {"trial": runs}, "dev")
        return measures["all"].estimate("trial").interval

    def _facts(self, point: "DrawnPoint", outcomes: Mapping[tuple[int, int], Outcome], pruned: bool) -> TrialFacts:
        found = [outcomes[point.number, seed] for seed in self.design.seeds if (point.number, seed) in outcomes]
        runs = [self.store.open(outcome.run) for outcome in found if outcome.run is not None]
        problem = next((outcome.problem for outcome in found if outcome.run is None), "")
        state = FAILED if problem else PRUNED if pruned else COMPLETE
        return TrialFacts(
            number=point.number,
            state=state,
            settings=dict(point.settings),
            values=tuple(dev_mean(run, self.metric) for run in runs),
            interval=self._interval(runs) if state == COMPLETE else None,
            runs=tuple(run.id for run in runs),
            problem=problem,
            diverged=any(outcome.diverged for outcome in found),
        )


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


@contextmanager
def _held(store: Store, name: str) -> Iterator[Path]:
    """The file of a search, which is this process's own meanwhile."""
    folder = store.folder / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / f".{name}.lock")
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError(f"The search {name} is in use by another process; wait for it, or stop it.") from None
    except OSError as error:
        raise InputError(f"{folder} cannot be used: {error.strerror or error}.") from None
    try:
        yield folder / f"{name}.sqlite"
    finally:
        lock.release()


def _need_optuna() -> None:
    if find_spec("optuna") is None:
        raise InputError("A search needs Optuna: pip install 'oratory[search]'.")
