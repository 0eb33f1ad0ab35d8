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
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
    distribution_to_json,
)
from optuna.samplers import BaseSampler, PartialFixedSampler, RandomSampler, TPESampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import URL
from sqlalchemy.exc import SQLAlchemyError

from oratory.errors import InputError
from oratory.ids import key_of
from oratory.records import DIGEST, typed
from oratory.searches.record import TrialRecord
from oratory.searches.result import COMPLETE, FAILED, PRUNED, TrialFacts
from oratory.searches.space import Range, Space
from oratory.seeds import derive

DESIGN, DRAWN, FACTS = "design", "drawn", "facts"
"""What is kept of a search, of a point that was drawn, and of a trial that ended."""
ENOUGH = 4
"""The fewest complete trials from which it is worked out which settings matter."""
_DIRECTIONS = {"higher": StudyDirection.MAXIMIZE, "lower": StudyDirection.MINIMIZE}
_STATES = {COMPLETE: TrialState.COMPLETE, PRUNED: TrialState.PRUNED, FAILED: TrialState.PRUNED}
"""A point that fails counts as one that was stopped without a figure, which the sampler avoids."""
_UNREADABLE = (
    *(SQLAlchemyError, optuna.exceptions.OptunaError),
    *(ValueError, TypeError, LookupError, AttributeError, RuntimeError, AssertionError, ArithmeticError),
)
"""What Optuna and SQLAlchemy raise over a file that is damaged."""


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
            # As an address by SQLAlchemy, which would read %41 as A; Optuna would fill in what is in braces.
            address = URL.create("sqlite", database=str(path.resolve())).render_as_string(hide_password=False)
            storage = optuna.storages.RDBStorage(address.replace("{", "{{").replace("}", "}}"))
            if design is None:
                self.study = optuna.load_study(study_name=path.stem, storage=storage)
            else:
                direction = _DIRECTIONS[design["better"]]
                self.study = optuna.create_study(
                    study_name=path.stem, storage=storage, direction=direction, load_if_exists=True
                )
                self.study.set_user_attr(DESIGN, _sealed(design))

    @property
    def design(self) -> dict[str, Any]:
        """The design of the search, as plain values."""
        with self._guarded():
            values = self._unsealed(self.study.user_attrs[DESIGN], "the design")
            if self.study.direction != _DIRECTIONS[values["better"]]:
                raise self._damaged("the design does not say which figures are better")
            return values

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
            drawn = _drawn(trial)
            if trial.user_attrs.get(DRAWN, drawn) != drawn:
                raise self._damaged(f"the point of trial {number} is not the one that was drawn")
            trial.set_user_attr(DRAWN, drawn)
            settings = {name: part.text(trial.params[name]) for name, part in space.parts.items()}
        return DrawnPoint(number, settings, trial)

    def tell(self, point: DrawnPoint, facts: TrialFacts) -> None:
        """Keep how a trial ended."""
        with self._guarded():
            point.trial.set_user_attr(FACTS, _sealed(facts.to_dict()))
            known = self._trials()[point.number].intermediate_values  # If it was stopped while it was told.
            for step, mean in _means(facts).items():
                if step not in known:
                    point.trial.report(mean, step)
            value = facts.mean if facts.state == COMPLETE else None
            self.study.tell(point.trial, value, state=_STATES[facts.state])

    def ended(self) -> list[TrialFacts]:
        """Every trial that ended, in the order of their numbers."""
        with self._guarded():
            return [self._facts(trial) for trial in self._trials() if trial.state.is_finished()]

    def importance(self, trials: int) -> dict[str, float] | None:
        """The share of the variance of the first trials that each setting explains, the largest first.

        Functional analysis of variance over a forest (Hutter, Hoos and Leyton-Brown, ICML 2014). Trials that were
        stopped have no figure over all seeds, and are left out.
        """
        done = [trial for trial in self._trials()[:trials] if trial.state == TrialState.COMPLETE]
        if len(done) < ENOUGH or len({trial.value for trial in done}) == 1:
            return None
        with self._guarded():
            copy = optuna.create_study(direction=self.study.direction)
            copy.add_trials(done)
            found = optuna.importance.get_param_importances(
                copy, evaluator=optuna.importance.FanovaImportanceEvaluator(seed=0)
            )
        return {name: float(value) for name, value in found.items()}

    def _trials(self) -> list[FrozenTrial]:
        with self._guarded():
            trials = self.study.get_trials(deepcopy=False)
        if [trial.number for trial in trials] != list(range(len(trials))):
            raise self._damaged("a trial is missing")
        return trials

    def _facts(self, trial: FrozenTrial) -> TrialFacts:
        """What was kept of a trial, if all that Optuna has of it agrees."""
        kept = typed(TrialRecord, self._kept(trial), self.path)
        interval = kept.interval
        facts = TrialFacts(
            number=kept.trial,
            state=kept.state,
            settings=kept.settings,
            values=kept.values,
            interval=(interval[0], interval[1]) if interval else None,
            runs=kept.runs,
            problem=kept.problem,
        )
        means = _means(facts)
        # Optuna gives a pruned trial the last figure that it was told along the way.
        value = facts.mean if facts.state == COMPLETE else next(reversed(means.values()), None)
        agrees = (
            facts.number == trial.number
            and _STATES.get(facts.state) == trial.state
            and set(facts.settings) == set(trial.params)
            and trial.value == value
            and trial.intermediate_values == means
            and trial.user_attrs.get(DRAWN, _drawn(trial)) == _drawn(trial)
        )
        if not agrees:
            raise self._damaged(f"what it says of trial {trial.number} does not agree")
        return facts

    def _kept(self, trial: FrozenTrial) -> dict[str, Any]:
        """What was kept of a trial. Files of older versions have it in several parts, without a checksum."""
        attributes = trial.user_attrs
        if FACTS in attributes:
            return self._unsealed(attributes[FACTS], f"trial {trial.number}", sealed=True)
        parts = {name: attributes[name] for name in ("settings", "values", "runs", "interval", "problem")}
        complete = trial.state == TrialState.COMPLETE
        state = COMPLETE if complete else FAILED if parts["problem"] else PRUNED
        return {"trial": trial.number, "state": state, "dev": None, **parts}

    def _unsealed(self, values: Mapping[str, Any], what: str, sealed: bool = False) -> dict[str, Any]:
        """Values without their checksum, which must be right; with `sealed`, it must be there too."""
        plain = {name: value for name, value in values.items() if name != DIGEST}
        if values.get(DIGEST, None if sealed else key_of(plain)) != key_of(plain):
            raise self._damaged(f"{what} does not have the checksum that it says")
        return plain

    def _damaged(self, why: str) -> InputError:
        return InputError(
            f"{self.path}, the file of the search, is damaged: {why}. Its runs are there all the same: without this "
            "file, the oratory search that made it finds them, and writes it again."
        )

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        try:
            yield
        except _UNREADABLE as error:
            why = str(error.__cause__ or error).partition("\n")[0] or type(error).__name__
            raise InputError(f"{self.path}, the file of the search, cannot be used: {why}.") from None


def _sealed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values with their checksum."""
    return {**values, DIGEST: key_of(values)}


def _drawn(trial: FrozenTrial | optuna.trial.Trial) -> str:
    """The point of a trial, and what it was drawn from."""
    return key_of([trial.params, {name: distribution_to_json(d) for name, d in trial.distributions.items()}])


def _means(facts: TrialFacts) -> dict[int, float]:
    """What Optuna is told along the way: the mean of the seeds so far."""
    totals = itertools.accumulate(facts.values if facts.state != FAILED else ())
    return {step: total / (step + 1) for step, total in enumerate(totals)}


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
