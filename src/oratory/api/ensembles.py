"""Runs averaged as one model, and one model that learns from all of them."""

from collections.abc import Mapping
from typing import Any

from oratory.api.runs import train
from oratory.api.shared import AnyPath
from oratory.comparisons.ensembles import Ensemble
from oratory.comparisons.ensembles import ensemble as make_ensemble
from oratory.comparisons.ensembles.make import SIZE
from oratory.comparisons.standing import tested_corpus
from oratory.errors import InputError, unknown
from oratory.runs import Run, RunListener, Store
from oratory.runs.given import as_given
from oratory.settings import joined


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
