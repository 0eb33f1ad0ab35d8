"""The trials of a search: an Optuna study in an SQLite file, to which only one process writes.

What Optuna draws for a trial follows from the seed of the search, the number of the trial and the trials that ended
before, so a search that was stopped continues with the same points.
"""

import itertools
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler, RandomSampler, TPESampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy.exc import SQLAlchemyError

from oratory.errors import InputError
from oratory.searches.result import COMPLETE, FAILED, PRUNED, TrialFacts
from oratory.searches.space import Range, Space
from oratory.seeds import derive

DESIGN = "design"
ENOUGH = 4
"""Complete trials from which on it is worked out which settings matter."""
_DIRECTIONS = {"higher": StudyDirection.MAXIMIZE, "lower": StudyDirection.MINIMIZE}
_STATES = {COMPLETE: TrialState.COMPLETE, PRUNED: TrialState.PRUNED, FAILED: TrialState.PRUNED}
"""A point that fails counts as one that was stopped without a figure, which the sampler avoids."""


@dataclass(frozen=True)
class DrawnPoint:
    """A point that is to be tried."""

    number: int
    settings: Mapping[str, str]
    trial: optuna.trial.Trial


class Study:
    """Draws points, and keeps how their trials ended."""

    def __init__(self, path: Path, design: Mapping[str, Any] | None = None) -> None:
        """Open the file; with a design it is made where it is not there yet."""
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self.path = path
        with self._guarded():
            storage = optuna.storages.RDBStorage(f"sqlite:///{path.resolve()}")
            if design is None:
                self.study = optuna.load_study(study_name=path.stem, storage=storage)
            else:
                direction = _DIRECTIONS[design["better"]]
                self.study = optuna.create_study(
                    study_name=path.stem, storage=storage, direction=direction, load_if_exists=True
                )
                self.study.set_user_attr(DESIGN, dict(design))

    @property
    def design(self) -> dict[str, Any]:
        """The design of the search, as plain values."""
        with self._guarded():
            return dict(self.study.user_attrs[DESIGN])

    def waiting(self) -> list[int]:
        """Trials whose points were drawn, and that have not ended."""
        return [trial.number for trial in self._trials() if trial.state == TrialState.RUNNING]

    def __len__(self) -> int:
        return len(self._trials())

    def ask(self, number: int, space: Space, method: str, seed: int) -> DrawnPoint:
        """The point of a trial: a new one, or the one that it had before the search was stopped."""
        distributions = {name: _distribution(part) for name, part in space.parts.items()}
        with self._guarded():
            self.study.sampler = _sampler(method, space, number, derive(seed, f"trial {number}") % 2**32)
            known = self._trials()
            again = number < len(known)
            trial = optuna.trial.Trial(self.study, known[number]._trial_id) if again else self.study.ask()
            for name, distribution in distributions.items():
                _suggest(trial, name, distribution)
            settings = {name: part.text(trial.params[name]) for name, part in space.parts.items()}
        return DrawnPoint(number, settings, trial)

    def tell(self, point: DrawnPoint, facts: TrialFacts) -> None:
        """Keep how a trial ended."""
        with self._guarded():
            kept = {"settings", "values", "runs", "interval", "problem"}
            for name, value in facts.to_dict().items():
                if name in kept:
                    point.trial.set_user_attr(name, value)
            means = itertools.accumulate(facts.values)
            for step, total in enumerate(means) if facts.state != FAILED else ():
                point.trial.report(total / (step + 1), step)
            value = facts.mean if facts.state == COMPLETE else None
            self.study.tell(point.trial, value, state=_STATES[facts.state])

    def ended(self) -> list[TrialFacts]:
        """Every trial that ended, in the order of their numbers."""
        return [_facts(trial) for trial in self._trials() if trial.state.is_finished()]

    def importance(self, trials: int) -> dict[str, float] | None:
        """The share of the variance of the first trials that each setting explains, the largest first.

        Functional analysis of variance over a forest (Hutter, Hoos and Leyton-Brown, ICML 2014). Trials that were
        stopped have no figure over all seeds, and are left out.
        """
        done = [trial for trial in self._trials()[:trials] if trial.state == TrialState.COMPLETE]
        if len(done) < ENOUGH or len({trial.value for trial in done}) == 1:
            return None
        copy = optuna.create_study(direction=self.study.direction)
        copy.add_trials(done)
        found = optuna.importance.get_param_importances(
            copy, evaluator=optuna.importance.FanovaImportanceEvaluator(seed=0)
        )
        return {name: float(value) for name, value in found.items()}

    def _trials(self) -> list[FrozenTrial]:
        with self._guarded():
            return self.study.get_trials(deepcopy=False)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
            why = str(error.__cause__ or error).partition("\n")[0]
            raise InputError(f"{self.path}, the file of the search, cannot be used: {why}.") from None


def _sampler(method: str, space: Space, number: int, seed: int) -> BaseSampler:
    if method == "grid":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # It has been there since 2020.
            return PartialFixedSampler(space.point(number), RandomSampler(seed=seed))
    if method == "random":
        return RandomSampler(seed=seed)
    # Points that are drawn together should differ: those under way count as poor ones (constant liar).
    return TPESampler(seed=seed, multivariate=True, constant_liar=True)


def _distribution(part: Any) -> BaseDistribution:
    if not isinstance(part, Range):
        return CategoricalDistribution(part.values)
    if part.whole:
        return IntDistribution(int(part.low), int(part.high), log=part.log)
    return FloatDistribution(part.low, part.high, log=part.log)


def _suggest(trial: optuna.trial.Trial, name: str, distribution: BaseDistribution) -> None:
    if isinstance(distribution, CategoricalDistribution):
        trial.suggest_categorical(name, distribution.choices)
    elif isinstance(distribution, IntDistribution):
        trial.suggest_int(name, distribution.low, distribution.high, log=distribution.log)
    elif isinstance(distribution, FloatDistribution):
        trial.suggest_float(name, distribution.low, distribution.high, log=distribution.log)


def _facts(trial: FrozenTrial) -> TrialFacts:
    kept = trial.user_attrs
    broke = trial.state == TrialState.PRUNED and kept["problem"]
    interval = kept["interval"]
    return TrialFacts(
        number=trial.number,
        state=FAILED if broke else COMPLETE if trial.state == TrialState.COMPLETE else PRUNED,
        settings=kept["settings"],
        values=tuple(kept["values"]),
        interval=(interval[0], interval[1]) if interval else None,
        runs=tuple(kept["runs"]),
        problem=kept["problem"],
    )
