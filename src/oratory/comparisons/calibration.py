"""The verdicts tried on stored runs: one variant against itself, with other seeds."""

import numpy as np

from oratory.comparisons.measures import measures_of
from oratory.errors import InputError
from oratory.runs import Run, Store
from oratory.statistics import LEAST_SEEDS
from oratory.statistics.calibration import same_variant
from oratory.statistics.rates import Calibration

SEEDS = 5
NOTE = (
    "All runs are of one variant, so every difference that is shown is a false one. Separate sets: each run is in one "
    "comparison only. Random splits: many comparisons of the same runs; as they share runs, they are not independent."
)


def calibrate_runs(store: Store, name: str, seeds: int | None, trials: int, seed: int) -> Calibration:
    """False verdicts among the finished runs that differ from this one in nothing but their seed."""
    run = store.open(name)
    found = same_runs(store, run)
    each = min(SEEDS, len(found) // 2) if seeds is None else seeds
    if len(found) < 2 * LEAST_SEEDS:
        raise InputError(
            f"Finished runs like {run.id} in {store.folder}: {len(found)}, with different seeds; two sets of "
            f"{LEAST_SEEDS} need {2 * LEAST_SEEDS}. oratory train with other seeds makes more."
        )
    metric = run.task.metric()
    measure = measures_of(run.task, metric, run.load_corpus(), {"same": found})["all"]
    scores = measure.matrices["same"]
    whole = scores[np.isfinite(scores).all(axis=1)]
    row = same_variant(
        f"{run.id} and alike", whole, measure.weights, each, trials, np.random.default_rng(seed), measure.strata
    )
    return Calibration(f"False verdicts in %: {metric.name}, {len(whole)} runs of one variant", (row,), seed, NOTE)


def same_runs(store: Store, run: Run) -> list[Run]:
    """The finished runs of the same settings and corpus, one for each seed."""
    entries = [entry for entry in store.entries() if entry.group == run.record.group and entry.status == "finished"]
    by_seed = {entry.seed: entry.id for entry in sorted(entries, key=lambda entry: entry.seed or 0)}
    return [store.open(name) for name in by_seed.values()]
