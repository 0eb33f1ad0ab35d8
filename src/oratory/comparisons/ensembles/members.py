"""The members of an ensemble: which runs can be one model, and what that model scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oratory.comparisons.record import ComparisonRecord
from oratory.errors import InputError
from oratory.runs import Run, Store
from oratory.runs.record import NOT_IDENTITY
from oratory.training.config import EVAL_TRAIN
from oratory.training.origins.origin import MODEL, OWN_RUN

if TYPE_CHECKING:
    import numpy as np
    import pyarrow
    from numpy.typing import NDArray

    from oratory.tokens import Tokenizer

Members = Mapping[str, Sequence[Run | None]]
"""The runs of every variant by seed; None where a run failed."""


@dataclass(frozen=True)
class Averaged:
    """Several runs as one model: its probability of anything is the mean of theirs."""

    runs: tuple[Run, ...]

    @property
    def id(self) -> str:
        return " + ".join(run.id for run in self.runs)

    @property
    def settings(self) -> dict[str, Any]:
        return self.runs[0].settings

    @property
    def tokenizer(self) -> "Tokenizer":
        return self.runs[0].tokenizer

    def items(self) -> "pyarrow.Table":
        return self.runs[0].task.averaged([run.items() for run in self.runs])


@dataclass(frozen=True)
class Mixed:
    """An ensemble or a run that is mixed with n-grams of train, which have this share."""

    model: Averaged | Run
    counted: "Mapping[str, NDArray[np.float64]]"
    """What the n-grams say, as the task counts it."""
    share: float

    @property
    def id(self) -> str:
        return f"{self.model.id} with n-grams"

    @property
    def settings(self) -> dict[str, Any]:
        return self.model.settings

    @property
    def tokenizer(self) -> "Tokenizer":
        return self.model.tokenizer

    def items(self) -> "pyarrow.Table":
        run = self.model.runs[0] if isinstance(self.model, Averaged) else self.model
        return run.task.mixed_with_counts(self.model.items(), self.counted, self.share)


@dataclass(frozen=True)
class Wanted:
    """What a user asked for: the runs by variant, and the metric of the comparison that they come from."""

    named: tuple[str, ...]
    """The ids of the runs, or of the comparison."""
    members: Members
    metric: str | None = None


def wanted_of(names: Sequence[str], store: Store, alone: bool = False) -> Wanted:
    """The members that were named: several runs of one variant, or a comparison with all of its variants.

    One run is enough if it may be `alone`.
    """
    found = [name for word in names for name in _comparisons(word, store)]
    if not found:
        runs = [store.open(name) for name in names]
        _check(runs, alone)
        called = _called(runs[0]) if len(runs) > 1 else runs[0].id
        return Wanted(tuple(run.id for run in runs), {called: runs})
    if len(names) > 1:
        raise InputError("Give the runs of one variant, or one comparison, which has several variants.")
    if len(found) > 1:
        raise InputError(f"{names[0]!r} begins {len(found)} ids: {', '.join(found[:5])}; write more of it.")
    record = ComparisonRecord.read(found[0], store)
    members = record.runs_in(store)
    for of_variant in members.values():
        _check([run for run in of_variant if run])
    return Wanted((record.id,), members, record.metric)


def _comparisons(word: str, store: Store) -> list[str]:
    """The comparisons that a word may mean; none where it means a run."""
    known = ComparisonRecord.names(store)
    return [word] if word in known else [name for name in known if word and name.startswith(word)]


def _called(run: Run) -> str:
    """What a variant is called: the settings that were given for it, and an earlier run by its id."""
    given = {name: value for name, value in run.given.items() if name != EVAL_TRAIN}
    if str(run.settings.get(MODEL, "")).startswith(OWN_RUN):
        given[MODEL] = run.settings[MODEL].removeprefix(OWN_RUN)
    return " ".join(f"{name}={value}" for name, value in given.items()) or "base"


def _check(runs: Sequence[Run], alone: bool = False) -> None:
    """Refuse runs that cannot be one model."""
    if len(runs) < 2 and not alone:
        raise InputError(
            f"An ensemble needs at least two runs, and there is one: {runs[0].id}. Train more seeds; a language model "
            "alone can be mixed with n-grams (--counts 0.5)."
        )
    first, *others = runs
    for run in runs:
        if run.status != "finished":
            raise InputError(
                f"The run {run.id} is not finished ({run.status}), so it can be no member of an ensemble; "
                f"oratory train --resume {run.id} continues it."
            )
    for run in others:
        why = _different(first, run)
        if why:
            raise InputError(f"{first.id} and {run.id} cannot be one ensemble: {why}.")
    seeds = [run.seed for run in runs]
    twice = next((seed for seed in seeds if seeds.count(seed) > 1), None)
    if twice is not None:
        raise InputError(f"The seed {twice} is there twice; the members of an ensemble have different seeds.")


def _different(first: Run, run: Run) -> str:
    """Why two runs are not of one variant, if they are not."""
    if run.task.name != first.task.name:
        return f"one is a {first.task.noun}, the other a {run.task.noun}"
    if run.fingerprint != first.fingerprint:
        return f"they were trained on different corpora ({first.record.corpus.name}, {run.record.corpus.name})"
    if run.tokenizer.fingerprint != first.tokenizer.fingerprint:
        tokens = (f"{each.settings['tokenizer']} with {len(each.tokenizer):,} tokens" for each in (first, run))
        return f"they have different vocabularies ({', '.join(tokens)}), so their probabilities are not of the same"
    left, right = first.settings, run.settings
    differ = [name for name in (*left, *right) if name not in (*NOT_IDENTITY, EVAL_TRAIN)]
    for name in dict.fromkeys(differ):
        if left.get(name) != right.get(name):
            return f"{name} is {left.get(name)} in one and {right.get(name)} in the other, and members differ in seed"
    return ""
