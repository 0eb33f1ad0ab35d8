"""From p to words: Holm's correction over all variants of a comparison, and the verdict on each."""

from collections.abc import Callable, Sequence
from typing import Literal

from oratory.statistics.crossed import LEVEL
from oratory.statistics.paired import Difference

VerdictWord = Literal["better", "worse", "no difference shown", "no verdict"]


def holm(p: Sequence[float | None]) -> list[float | None]:
    """p adjusted for all that were tested together (Holm, Scandinavian Journal of Statistics 6, 1979)."""
    tested = sorted((value, place) for place, value in enumerate(p) if value is not None)
    adjusted: list[float | None] = [None] * len(p)
    highest = 0.0
    for rank, (value, place) in enumerate(tested):
        highest = max(highest, min(1.0, value * (len(tested) - rank)))
        adjusted[place] = highest
    return adjusted


def false_discovery(p: Sequence[float | None]) -> list[float | None]:
    """The share of false ones to expect among all that are as likely as each (Benjamini and Hochberg, 1995)."""
    tested = sorted((value, place) for place, value in enumerate(p) if value is not None)
    adjusted: list[float | None] = [None] * len(p)
    lowest = 1.0
    for rank in range(len(tested), 0, -1):
        value, place = tested[rank - 1]
        lowest = min(lowest, value * len(tested) / rank)
        adjusted[place] = lowest
    return adjusted


def verdict(difference: Difference, p: float | None = None) -> VerdictWord:
    """The word for a difference, given its p after Holm (its own where none is given)."""
    p = difference.p if p is None else p
    if difference.undecided is not None or p is None:
        return "no verdict"
    if p >= LEVEL:
        return "no difference shown"
    return "better" if (difference.mean > 0) == (difference.better == "higher") else "worse"


def verdict_text(difference: Difference, p: float | None = None, show: Callable[[float], str] = "{:.2g}".format) -> str:
    """The verdict as it is read, with what would have been seen; `show` puts a difference into its unit."""
    word = verdict(difference, p)
    if word == "no verdict":
        return f"{word}: {difference.undecided}"
    if word != "no difference shown" or difference.detectable is None:
        return word
    return f"{word} (would have seen {show(difference.detectable)})"
