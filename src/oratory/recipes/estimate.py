"""How long runs will take on this machine, from runs that were timed.

A run of the store that differs in its seed only takes as long. One that differs in numbers only, such as the width, is
scaled by the tokens that training sees x layers x width, unless it is much larger or smaller. If the store has neither,
a short training of the variant is timed (`oratory.recipes.timing`), and used for other runs in the same way.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log, prod
from statistics import fmean
from typing import Any

from oratory.execution.local import cores
from oratory.recipes.recipe import Recipe
from oratory.runs import Store
from oratory.runs.entry import Entry, as_text
from oratory.runs.record import ADDED
from oratory.tables import counted, duration
from oratory.training.config import EVAL_TRAIN
from oratory.training.origins import origin_of
from oratory.training.tasks import Task

NOT_COMPARED = ("vocabulary", "classes", "train.device", "train.threads", "train.save_every", "train.snapshots")
"""Settings that a recipe does not know before it is run, or that do not change the result."""
SCALED_BY = ("train.epochs", "train.iterations", "context", "layers", "width")
AT_MOST = 3.0
"""How many times larger or smaller a run may be that another one is scaled from."""
RECORDED, SCALED, TIMED = "recorded", "scaled", "timed"


@dataclass(frozen=True)
class PlannedRun:
    """A run that a recipe needs, or one of the store: everything that decides its result."""

    task: str
    fingerprint: str
    """Of the corpus."""
    settings: tuple[tuple[str, str | float], ...]
    seed: int | None
    given: Mapping[str, str] = field(default_factory=dict, compare=False)
    """The settings that a recipe gives; the others have their defaults."""
    label: str = field(default="", compare=False)
    """The recipe and the variant."""

    @property
    def group(self) -> Hashable:
        """The same for runs that differ in their seed only."""
        return self.task, self.fingerprint, self.settings

    @property
    def model(self) -> Hashable:
        """The same for runs that train the same model."""
        settings = tuple((name, value) for name, value in self.settings if name != EVAL_TRAIN)
        return self.task, self.fingerprint, settings, self.seed

    @property
    def kind(self) -> Hashable:
        """The same for runs that differ in numbers only."""
        words = tuple((name, "" if isinstance(value, float) else value) for name, value in self.settings)
        return self.task, self.fingerprint, words

    @property
    def work(self) -> float:
        """The tokens that training sees x layers x width. An epoch has the same texts, whatever the batch is."""
        numbers = {name: value for name, value in self.settings if isinstance(value, float)}
        batch = numbers["train.batch"] if "train.iterations" in numbers else 1.0
        return batch * prod(numbers.get(name, 1.0) for name in SCALED_BY)


def planned_runs(recipe: Recipe, fingerprint: str, seeds: Iterable[int]) -> list[PlannedRun]:
    """Every run of a recipe on a corpus."""
    made = []
    for variant in recipe.variants:
        label = f"{recipe.name}, {variant.name}"
        made += [planned_run(recipe.task, fingerprint, recipe.of(variant), seed, label) for seed in seeds]
    return made


def planned_run(task: Task, fingerprint: str, given: Mapping[str, str], seed: int, label: str) -> PlannedRun:
    """A run of a task on a corpus, from the settings that are given."""
    origin = origin_of(given)
    settings = _settings(origin.compared(origin.complete(task, given).settings))
    return PlannedRun(task.name, fingerprint, settings, seed, given, label)


def _settings(values: Mapping[str, Any]) -> tuple[tuple[str, str | float], ...]:
    """Settings in one order and form, whether they come from a recipe or from a record; numbers stay numbers."""
    return tuple(
        (name, float(value) if isinstance(value, int | float) and not isinstance(value, bool) else as_text(value))
        for name, value in sorted(values.items())
        if name not in NOT_COMPARED and not (name in ADDED and ADDED[name] == value)
    )


@dataclass(frozen=True)
class TimedRun:
    """A run and its seconds."""

    run: PlannedRun
    seconds: float
    basis: str
    """What an estimate that is scaled from it rests on."""

    def distance(self, other: PlannedRun) -> float:
        """How much larger or smaller another run is: the logarithm of the ratio."""
        return abs(log(other.work / self.run.work))


class TimedRuns:
    """Runs with their seconds, which say how long others like them take."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self.seconds: dict[Hashable, dict[int | None, float]] = defaultdict(dict)
        """By group and seed."""
        self.trained: set[Hashable] = set()
        self.of_kind: dict[Hashable, list[TimedRun]] = defaultdict(list)
        for entry in entries:
            if entry.status == "finished" and entry.seconds is not None:
                settings = _settings(origin_of(entry.settings).compared(entry.settings))
                run = PlannedRun(entry.task, entry.fingerprint, settings, entry.seed)
                self.seconds[run.group][run.seed] = entry.seconds
                self.trained.add(run.model)
                self.of_kind[run.kind].append(TimedRun(run, entry.seconds, SCALED))

    def has(self, run: PlannedRun) -> bool:
        """Whether this very run was trained; a comparison takes one that measured train on its way as well."""
        return run.model in self.trained

    def add(self, run: PlannedRun, seconds: float) -> None:
        """Add a run of which a short training was timed."""
        self.of_kind[run.kind].append(TimedRun(run, seconds, TIMED))

    def estimate(self, run: PlannedRun) -> tuple[float, str] | None:
        """Seconds, and what they rest on; None if no run is like this one."""
        same = self.seconds.get(run.group)
        if same:
            return fmean(same.values()), RECORDED
        like = self.of_kind.get(run.kind, [])
        nearest = min(like, key=lambda found: found.distance(run), default=None)
        if nearest is None or nearest.distance(run) > log(AT_MOST):
            return None
        return nearest.seconds * run.work / nearest.run.work, nearest.basis


@dataclass(frozen=True)
class TimeEstimate:
    """Seconds on this machine, and what they rest on."""

    seconds: float
    runs: int
    """Runs that will be trained."""
    had: int
    """Runs that the store has already."""
    recorded: int
    """Of the runs to train, those with the seconds of runs that differ in their seed only."""
    scaled: int
    """Those with the seconds of runs that differ in numbers only, scaled."""
    timed: int
    """Those of which, or of one like them, a short training was timed."""
    workers: int

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))

    def sentence(self) -> str:
        """The estimate in words."""
        if not self.runs:
            return f"All {self.had} runs are in the store." if self.had else "Nothing is trained."
        at_once = f", {self.workers} at once" if self.workers > 1 else ""
        bases = {
            "the recorded seconds of runs with other seeds": self.recorded,
            "recorded runs with other numbers, scaled": self.scaled,
            "short trainings that were timed now": self.timed,
        }
        used = [f"{basis} ({count})" for basis, count in bases.items() if count]
        return (
            f"About {duration(self.seconds)} of training: {counted(self.runs, 'run')} to train{at_once}, {self.had} in "
            f"the store. The estimate rests on {' and on '.join(used)}."
        )


def estimate(
    runs: Sequence[PlannedRun], store: Store, time: Callable[[PlannedRun], float], workers: int | None = None
) -> TimeEstimate:
    """The time of all these runs without those that the store has. `time` times a short training of a run."""
    known = timed_runs(store)
    missing = [run for run in dict.fromkeys(runs) if not known.has(run)]
    seconds, bases = 0.0, Counter[str]()
    for run in missing:
        found = known.estimate(run)
        if found is None:
            found = time(run), TIMED
            known.add(run, found[0])
        seconds += found[0]
        bases[found[1]] += 1
    at_once = workers or cores()
    had = len(set(runs)) - len(missing)
    return TimeEstimate(seconds / at_once, len(missing), had, bases[RECORDED], bases[SCALED], bases[TIMED], at_once)


def timed_runs(store: Store) -> TimedRuns:
    """The finished runs of a store; looking does not make its folder."""
    return TimedRuns(store.entries() if store.folder.is_dir() else ())
