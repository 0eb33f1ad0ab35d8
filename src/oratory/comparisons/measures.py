"""Runs as matrices of seeds x items: the one place that reads per-item results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from oratory.errors import InputError
from oratory.statistics import Array, Estimate, Strata, over_items, single
from oratory.statistics.clustered import ENOUGH
from oratory.text import Corpus
from oratory.tokens import Tokenizer
from oratory.training.tasks import Task
from oratory.training.tasks.metric import Metric
from oratory.training.tasks.units import Counted, Units

if TYPE_CHECKING:
    import pyarrow


class Scored(Protocol):
    """A model whose per-item results are known: a run, or several runs as one model."""

    @property
    def id(self) -> str: ...
    @property
    def settings(self) -> dict[str, Any]: ...
    @property
    def tokenizer(self) -> Tokenizer: ...
    def items(self) -> "pyarrow.Table": ...


@dataclass(frozen=True, eq=False)
class Measure:
    """One figure of all runs: for each variant a matrix of seeds x units, with a row of NaN for a run that failed."""

    matrices: Mapping[str, Array]
    weights: Array
    unit: str
    """What counts as one: an item, or a group of them."""
    strata: Strata | None = None
    """Of the units, if they have any."""
    partial: bool = False
    """Whether it is of a part of the split. A part of fewer than five units gets no interval: it would say nothing."""

    def estimate(self, variant: str) -> Estimate:
        """The mean of a variant, with its interval."""
        found = single(self.matrices[variant], self.weights, self.strata)
        return replace(found, interval=None) if self.partial and len(self.weights) < ENOUGH else found

    def over_items(self, variant: str) -> Estimate:
        """The mean of a variant's first run, with its interval for new units; how seeds vary is not in it."""
        found = over_items(self.matrices[variant][0], self.weights, self.strata)
        return replace(found, interval=None) if len(self.weights) < ENOUGH else found

    def paired_seeds(self, variant: str, other: str) -> int:
        """With how many seeds both variants have all their scores."""
        both = np.isfinite(self.matrices[variant]) & np.isfinite(self.matrices[other])
        return int(both.all(axis=1).sum())


@dataclass(frozen=True)
class Tokens:
    """The tokenizers of all runs. Two of them are the same where their fingerprints are."""

    fingerprints: Mapping[str, str]
    """By variant."""
    tokenizers: Mapping[str, Tokenizer]
    """Every one, by its settings."""

    @property
    def same(self) -> bool:
        """Whether all runs have the same tokens."""
        return len(self.tokenizers) == 1


def tokens_of(runs: Mapping[str, Sequence[Scored | None]]) -> Tokens:
    """The tokenizers, from the folders of the runs."""
    fingerprints: dict[str, str] = {}
    named: dict[str, tuple[str, Tokenizer]] = {}
    for variant, found in runs.items():
        for run in filter(None, found):
            fingerprint = run.tokenizer.fingerprint
            if fingerprints.setdefault(variant, fingerprint) != fingerprint:
                raise InputError(f"The runs of the variant {variant!r} have different tokens; train them again.")
            named.setdefault(fingerprint, (run.settings["tokenizer"], run.tokenizer))
    settings = [name for name, _ in named.values()]
    # One setting can have given two vocabularies, in runs of different versions.
    tokenizers = {
        name if settings.count(name) == 1 else f"{name} {fingerprint}": tokenizer
        for fingerprint, (name, tokenizer) in named.items()
    }
    return Tokens(fingerprints, tokenizers)


def measures_of(
    task: Task,
    metric: Metric,
    corpus: Corpus,
    runs: Mapping[str, Sequence[Scored | None]],
    split: str = "test",
) -> dict[str, Measure]:
    """The figure over everything, under `all`, and over the parts of the split."""
    units = task.units(corpus, split)
    read = {name: [_values(units, run, metric) if run else None for run in found] for name, found in runs.items()}
    done = [values for found in read.values() for values in found if values is not None]
    if not done:
        raise InputError("No run was finished, so there is nothing to compare.")
    parts = {part: units.counted(part) for part, mask in units.parts.items() if mask.any()}
    measures = {
        part: replace(_measure(counted, read, done[0][1]), partial=part != "all") for part, counted in parts.items()
    }
    return {part: measure for part, measure in measures.items() if len(measure.weights)}


def _measure(counted: Counted, read: Mapping[str, Sequence[tuple[Array, Array] | None]], weights: Array) -> Measure:
    """One part of the split; all runs have the weights of the first."""
    missing = np.full(len(weights), np.nan)
    rows = {
        name: [counted.means(missing if values is None else values[0], weights)[0] for values in found]
        for name, found in read.items()
    }
    of_units = counted.means(missing, weights)[1]
    some = of_units > 0  # A block of text may have no token at all, if the tokenizer drops what is in it.
    matrices = {name: np.stack(found)[:, some] for name, found in rows.items()}
    strata = None if counted.strata is None else np.unique(counted.strata[some], return_inverse=True)[1]
    return Measure(matrices, of_units[some], counted.unit, strata)


def _values(units: Units, run: Scored, metric: Metric) -> tuple[Array, Array]:
    """The values of a run and their weights."""
    values, weights = units.values(run.items(), metric)
    if np.isnan(values).any():
        raise InputError(
            f"There is no verdict. The {metric.name} of the run {run.id} (tokenizer={run.settings['tokenizer']}) "
            f"cannot be known, because {metric.missing}."
        )
    return values, weights
