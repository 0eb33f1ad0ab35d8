"""What our runs give for a published figure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from oratory.comparisons.measures import Measure, measures_of
from oratory.recipes.quantity import Quantity
from oratory.runs import Run
from oratory.statistics import Estimate, mean_of, prediction, single
from oratory.text import Corpus
from oratory.training.tasks import Task


@dataclass(frozen=True)
class OurFigure:
    """The mean of our runs, and the intervals of the mean and of one more seed, on the scale of reports."""

    seeds: tuple[float, ...]
    """The value of each seed."""
    mean: float
    interval: tuple[float, float] | None = None
    """The 95% interval of the mean."""
    prediction: tuple[float, float] | None = None
    """The 95% interval for one new seed on the same items."""
    spread: float | None = None
    """The standard deviation over seeds; of perplexities, that of their logarithms."""
    over: str = "seeds"
    """What the interval of the mean regards as random: seeds, or seeds and items."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "interval": list(self.interval) if self.interval else None,
            "prediction": list(self.prediction) if self.prediction else None,
            "spread": self.spread,
            "seeds": list(self.seeds),
            "over": self.over,
        }

    def cells(self, quantity: Quantity) -> tuple[str, str, str, str]:
        """The mean, the two intervals and the spread in a table."""
        intervals = quantity.show_interval(self.interval), quantity.show_interval(self.prediction)
        return quantity.show(self.mean), *intervals, quantity.metric.show_spread(self.spread, quantity.digits)


@dataclass(frozen=True)
class VariantRuns:
    """The runs of one variant, with their evaluations and their per-item results, read when they are needed."""

    name: str
    runs: Sequence[Run | None]
    """By seed; None for a run that failed."""
    task: Task
    corpus: Corpus

    @cached_property
    def finished(self) -> list[Run]:
        return [run for run in self.runs if run is not None]

    @cached_property
    def histories(self) -> list[list[dict[str, Any]]]:
        return [run.history() for run in self.finished]

    @cached_property
    def measures(self) -> Mapping[str, Measure]:
        """By part of test. One variant has one tokenizer, so the first metric of the task applies."""
        return measures_of(self.task, self.task.metric(), self.corpus, {self.name: self.runs})

    def figure(self, quantity: Quantity, at: float | None) -> OurFigure | None:
        """A figure at a place along training, or at its end; None if not every run has it."""
        if quantity.exact:
            count = quantity.at_end(self.finished[0])
            return None if count is None else OurFigure((count,), count)
        place = self.task.results.place
        at_end = at is None or all(history[-1][place] == at for history in self.histories)
        part = quantity.part(self.measures) if at_end else None
        if part is not None:
            measure = self.measures[part]
            scores = measure.matrices[self.name]
            per_seed = scores[~np.isnan(scores).any(axis=1)] @ measure.weights / measure.weights.sum()
            return _figure(
                quantity, per_seed.tolist(), single(scores, measure.weights, measure.strata), "seeds and items"
            )
        if at_end:
            found = [quantity.at_end(run) for run in self.finished]
        else:
            found = [_at(quantity, history, place, at) for history in self.histories]
        values = [value for value in found if value is not None and math.isfinite(value)]
        if not values or len(values) < len(found):
            return None
        return _figure(quantity, values, mean_of(values), "seeds")


def curves_of(quantity: Quantity, task: Task, runs: Sequence[Run]) -> tuple[list[float], list[list[float]]]:
    """A figure along training: the places, and for each run the values there, NaN where it has none."""
    place = task.results.place
    histories = [run.history() for run in runs]
    places = [float(entry[place]) for entry in histories[0]]
    found = [[_at(quantity, history, place, at) for at in places] for history in histories]
    scaled = quantity.metric.scaled
    return places, [[math.nan if value is None else scaled(value) for value in values] for values in found]


def _at(quantity: Quantity, history: Sequence[Mapping[str, Any]], place: str, at: float | None) -> float | None:
    entry = next((entry for entry in history if entry[place] == at), None)
    return None if entry is None else quantity.at_evaluation(entry)


def _figure(quantity: Quantity, values: Sequence[float], mean: Estimate, over: str) -> OurFigure:
    """The figure on the scale of reports, from shares or nats."""

    def scaled(interval: tuple[float, float] | None) -> tuple[float, float] | None:
        return None if interval is None else (quantity.metric.scaled(interval[0]), quantity.metric.scaled(interval[1]))

    return OurFigure(
        seeds=tuple(map(quantity.metric.scaled, values)),
        mean=quantity.metric.scaled(mean.mean),
        interval=scaled(mean.interval),
        prediction=scaled(prediction(values)),
        spread=quantity.metric.plotted_value(float(np.std(values, ddof=1))) if len(values) > 1 else None,
        over=over,
    )
