"""How far verdicts can be trusted."""

from oratory.api.shared import AnyPath
from oratory.comparisons.calibration import calibrate_runs
from oratory.errors import InputError
from oratory.runs import Store
from oratory.statistics.calibration import TRIALS
from oratory.statistics.calibration import calibrate as simulate_verdicts
from oratory.statistics.rates import Calibration


def calibrate(
    like: str | None = None,
    *,
    seeds: int | None = None,
    trials: int = TRIALS,
    seed: int = 0,
    runs: AnyPath | None = None,
) -> Calibration:
    """Check the verdicts by simulation: their false positives and their power, beside the promised rates.

    With `like`, the id of a run, on real scores: of the stored runs that differ from it in their seed only, `seeds`
    are compared with as many others.
    """
    if seed < 0:
        raise InputError(f"--seed {seed}: a seed is not negative.")
    if like is not None:
        return calibrate_runs(Store(runs), like, seeds, trials, seed)
    if seeds is not None:
        raise InputError("--seeds says how many stored runs are on each side; say which runs with --like RUN.")
    return simulate_verdicts(trials, seed)
