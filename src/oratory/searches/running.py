"""A search in progress: rounds of points, several seeds to a point, and pruning."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING

from oratory.comparisons.dev import dev_mean
from oratory.comparisons.measures import measures_of
from oratory.execution.jobs import Executor, Job, JobsPlanned, Outcome, Shared, Step, work_through
from oratory.runs import Run, Store
from oratory.searches.design import SearchDesign
from oratory.searches.events import SearchListener, TrialEnded
from oratory.searches.result import COMPLETE, FAILED, PRUNED, TrialFacts, choose_best
from oratory.statistics import Better

if TYPE_CHECKING:
    from oratory.searches.study import DrawnPoint, Study

WARMUP = 5
"""First seeds of other points that must be known before a point is pruned."""


def is_worse(value: float, others: Sequence[float], better: Better) -> bool:
    """Whether the first seed of a point is worse than the median of the first seeds of others, if there are enough.

    Optuna's median pruner compares with complete trials only, and so would prune less the more it has pruned.
    """
    if len(others) < WARMUP:
        return False
    return value < median(others) if better == "higher" else value > median(others)


class RunningSearch:
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
        """Pass an event on, except the plan of one round, which is not that of the whole search."""
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
