"""Timing a short training of a run, to estimate how long the whole run takes."""

from collections.abc import Mapping
from contextlib import suppress
from math import ceil
from statistics import median
from time import perf_counter

from oratory.text import Corpus
from oratory.training.config import TrainConfig

UPDATES = 8
"""Enough for a median that is not that of the first updates, which are slower."""


def time_short_training(task: str, corpus: Corpus, settings: Mapping[str, str]) -> float:
    """The seconds of a whole run: one evaluation and a few updates are timed, and multiplied by their numbers."""
    from oratory.execution.machine import device_of, threads
    from oratory.training.loop import Diverged, Fit
    from oratory.training.origins import prepare

    prepared = prepare(task, corpus, settings)
    training = prepared.training
    with threads(training.threads or 1):  # As the workers of this machine have them.
        model = prepared.build().to(device_of(training.device))
        learning = prepared.task.learning(prepared)
        fit = Fit(model, learning, training, prepared.seed, prepared.tokenizer.unk_id, factors=prepared.factors())
        events = fit.run()
        took = []
        with suppress(Diverged):  # If it diverges, training will report it.
            for _ in range(1 + min(UPDATES, fit.steps, fit.eval_every)):
                began = perf_counter()
                next(events)  # The first one is the evaluation before training.
                took.append(perf_counter() - began)
    evaluation, *updates = took or [0.0]
    return evaluations(training, fit.steps, fit.eval_every) * evaluation + fit.steps * median(updates or [0.0])


def evaluations(training: TrainConfig, steps: int, every: int) -> int:
    """How often a run is evaluated: before training, during it, and once more if the best weights are restored."""
    return 1 + ceil(steps / every) + (training.keep == "best")
