"""What the trials of a search say of single settings and of pairs of them. Facts about dev, and no verdicts."""

from collections.abc import Mapping, Sequence
from itertools import product
from statistics import fmean, median

from oratory.searches.result import COMPLETE, FAILED, Search, TrialFacts
from oratory.tables import Table

LEVELS = 5
"""Values of a setting up to which each is a level of its own; more numbers are parted at their median."""


def ties(found: Search) -> list[TrialFacts]:
    """Other complete trials whose mean lies in the interval of the best one: dev does not tell them apart."""
    interval = found.best.interval
    if interval is None:
        return []
    others = [trial for trial in found.ranked if trial.state == COMPLETE and trial.number != found.best.number]
    return [trial for trial in others if trial.mean is not None and interval[0] <= trial.mean <= interval[1]]


def tied_sentence(found: Search) -> str:
    """The trials that are as good as the best one as far as dev can tell; or that there are none."""
    if found.best.interval is None:
        return "One seed has no interval, so it is not known which other trials are as good."
    tied = ties(found)
    if not tied:
        return "No other trial lies in its interval."
    named = ", ".join(str(trial.number) for trial in tied[:5]) + (" and others" if len(tied) > 5 else "")
    word = "trial lies" if len(tied) == 1 else "trials lie"
    return f"{len(tied)} other {word} in its interval ({named}): on dev these are a tie, and the best may be luck."


def against(found: Search, name: str) -> dict[str, list[tuple[str, float]]]:
    """The figure of every trial by the value of one setting, whole trials and pruned ones apart."""
    points: dict[str, list[tuple[str, float]]] = {}
    for trial in found.trials:
        if trial.mean is not None:
            points.setdefault(trial.state, []).append((trial.settings[name], trial.mean))
    return points


def levels(values: Sequence[str]) -> dict[str, str]:
    """The level of each value: itself where there are few; of many numbers, the lower or the upper half."""
    distinct = list(dict.fromkeys(values))
    numbers = {value: number for value in distinct if (number := as_number(value)) is not None}
    if len(numbers) < len(distinct):
        return {value: value for value in sorted(distinct)}
    ordered = sorted(distinct, key=numbers.__getitem__)
    if len(ordered) <= LEVELS:
        return {value: value for value in ordered}
    middle = median(numbers.values())
    return {value: f"up to {middle:.2g}" if numbers[value] <= middle else f"above {middle:.2g}" for value in ordered}


def interaction(found: Search) -> Table | None:
    """The mean on dev for each pair of levels of the two settings that matter most; None for a single setting."""
    order = list(found.importance or found.space)
    if len(order) < 2:
        return None
    one, other = order[:2]
    trials = [trial for trial in found.trials if trial.state != FAILED and trial.mean is not None]
    rows = levels([trial.settings[one] for trial in trials])
    columns = levels([trial.settings[other] for trial in trials])
    cells: Mapping[tuple[str, str], list[float]] = {
        pair: [] for pair in product(dict.fromkeys(rows.values()), dict.fromkeys(columns.values()))
    }
    for trial in trials:
        assert trial.mean is not None
        cells[rows[trial.settings[one]], columns[trial.settings[other]]].append(trial.mean)

    def cell(values: list[float]) -> str:
        return f"{found.metric.show(fmean(values))} ({len(values)})" if values else "–"

    heads = list(dict.fromkeys(columns.values()))
    body = tuple((row, *(cell(cells[row, head]) for head in heads)) for row in dict.fromkeys(rows.values()))
    note = (
        f"{found.unit}: the mean of the trials, and how many there are. Where the order of the columns differs from "
        "row to row, the two settings depend on each other; a few trials show that only roughly."
    )
    return Table(f"{one} (rows) and {other} (columns)", (one, *(f"{other} {head}" for head in heads)), body, note=note)


def as_number(text: str) -> float | None:
    """A value as a number, where it is one."""
    try:
        return float(text)
    except ValueError:
        return None
