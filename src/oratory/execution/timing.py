"""Timing a short training, to know what an update costs and how long a whole run takes."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from statistics import median
from time import perf_counter, process_time

from oratory.text import Corpus
from oratory.training.config import TrainConfig

UPDATES = 8
"""Enough for a median that is not that of the first updates, which are slower."""


@dataclass(frozen=True)
class ShortTraining:
    """What one evaluation and a few updates took."""

    seconds: float
    """Of the whole run, by the clock, on a machine that is as busy as now."""
    update: float
    """Seconds of the processor for an update; they depend less on what else the machine does."""
    processor: float = 0.0
    """Seconds of the processor for the whole run."""


def short_training(task: str, corpus: Corpus, settings: Mapping[str, str]) -> ShortTraining:
    """Time one evaluation and a few updates of a run, in one thread unless the settings say more."""
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
        clock, processor = list[float](), list[float]()
        with suppress(Diverged):  # If it diverges, training will report it.
            for _ in range(1 + min(UPDATES, fit.steps, fit.eval_every)):
                began, used = perf_counter(), process_time()
                next(events)  # The first one is the evaluation before training.
                clock.append(perf_counter() - began)
                processor.append(process_time() - used)

    def whole(parts: list[float]) -> float:
        evaluation, *updates = parts or [0.0]
        return evaluations(training, fit.steps, fit.eval_every) * evaluation + fit.steps * median(updates or [0.0])

    return ShortTraining(whole(clock), median(processor[1:] or [0.0]), whole(processor))


def evaluations(training: TrainConfig, steps: int, every: int) -> int:
    """How often a run is evaluated: before training, during it, and once more if the best weights are restored."""
    return 1 + ceil(steps / every) + (training.keep == "best")
