"""Timing a short training of a run, to estimate how long the whole run takes."""

from collections.abc import Mapping

from oratory.execution.timing import short_training
from oratory.text import Corpus


def time_short_training(task: str, corpus: Corpus, settings: Mapping[str, str]) -> float:
    """The seconds of a whole run: one evaluation and a few updates are timed, and multiplied by their numbers."""
    return short_training(task, corpus, settings).seconds
