"""What a model scores: facts about predictions, whatever made them.

Shapes: N items, C classes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.tokens.scoring import bits_per_byte, perplexity

BINS = 15
"""Bins of the calibration error, of equal width (Guo et al., 2017, arXiv:1706.04599)."""


@dataclass(frozen=True, eq=False)
class SplitScores:
    """A classifier's probabilities for the items of one split."""

    labels: NDArray[np.int64]  # N
    probabilities: NDArray[np.float32]  # N, C
    seen: NDArray[np.bool_] | None = None  # N: whether train has the text

    @cached_property
    def predicted(self) -> NDArray[np.int64]:
        """The likeliest class of each item."""
        likeliest: NDArray[np.int64] = self.probabilities.argmax(1)
        return likeliest

    @cached_property
    def correct(self) -> NDArray[np.bool_]:
        """Whether that is the label."""
        right: NDArray[np.bool_] = self.predicted == self.labels
        return right

    @cached_property
    def nats(self) -> NDArray[np.float64]:
        """The surprisal of each label."""
        given = self.probabilities[np.arange(len(self.labels)), self.labels].astype(np.float64)
        return -np.log(np.maximum(given, np.finfo(np.float32).tiny))

    @property
    def accuracy(self) -> float:
        return float(self.correct.mean())

    @property
    def loss(self) -> float:
        return float(self.nats.mean())

    def accuracy_where(self, mask: NDArray[np.bool_]) -> float | None:
        """The accuracy on some items; None where there are none."""
        return float(self.correct[mask].mean()) if mask.any() else None

    @property
    def confusion(self) -> NDArray[np.int64]:
        """Items by label (rows) and prediction (columns)."""
        classes = self.probabilities.shape[1]
        cells = np.bincount(self.labels * classes + self.predicted, minlength=classes * classes)
        return cells.reshape(classes, classes)

    def calibration(self) -> list[dict[str, float]]:
        """Items in bins of confidence: how sure the model is there, and how often it is right."""
        confidence = self.probabilities.max(1).astype(np.float64)
        bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
        filled = [bins == number for number in range(BINS) if (bins == number).any()]
        return [
            {
                "items": int(inside.sum()),
                "confidence": float(confidence[inside].mean()),
                "accuracy": float(self.correct[inside].mean()),
            }
            for inside in filled
        ]

    def calibration_error(self) -> float:
        """The mean gap between confidence and accuracy over the bins."""
        gaps = [entry["items"] * abs(entry["confidence"] - entry["accuracy"]) for entry in self.calibration()]
        return sum(gaps) / len(self.labels)

    def per_class(self, names: tuple[str, ...]) -> dict[str, dict[str, float | None]]:
        """Precision, recall and their harmonic mean for each class."""
        table = self.confusion
        found = {}
        for index, name in enumerate(names):
            hits, items, said = int(table[index, index]), int(table[index].sum()), int(table[:, index].sum())
            found[name] = {
                "items": items,
                "precision": hits / said if said else None,
                "recall": hits / items if items else None,
                "f1": 2 * hits / (items + said) if items + said else None,
            }
        return found

    def to_dict(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Every figure of the split."""
        facts: dict[str, Any] = {"items": len(self.labels), "accuracy": self.accuracy, "loss": self.loss}
        if self.seen is not None:
            facts["accuracy_seen"] = self.accuracy_where(self.seen)
            facts["accuracy_unseen"] = self.accuracy_where(~self.seen)
            facts["items_seen"] = int(self.seen.sum())
        facts["per_class"] = self.per_class(names)
        facts["confusion"] = self.confusion.tolist()
        facts["calibration_error"] = self.calibration_error()
        facts["calibration"] = self.calibration()
        return facts


@dataclass(frozen=True, eq=False)
class ClassifierScores:
    """A classifier on every split that was measured."""

    names: tuple[str, ...]
    splits: Mapping[str, SplitScores]

    @property
    def on_dev(self) -> tuple[float, ...] | None:
        """What is chosen by: the more the better; accuracy, and the loss where that is equal."""
        dev = self.splits.get("dev")
        return None if dev is None else (dev.accuracy, -dev.loss)

    def row(self) -> dict[str, Any]:
        """The figures of one line of the metrics."""
        row: dict[str, Any] = {}
        for name, split in self.splits.items():
            row |= {f"{name}_accuracy": split.accuracy, f"{name}_nats": split.loss}
            if split.seen is not None:
                row[f"{name}_accuracy_seen"] = split.accuracy_where(split.seen)
                row[f"{name}_accuracy_unseen"] = split.accuracy_where(~split.seen)
        return row

    def to_dict(self) -> dict[str, Any]:
        """Every figure."""
        return {name: split.to_dict(self.names) for name, split in self.splits.items()}


@dataclass(frozen=True, eq=False)
class TextScores:
    """A language model on one text: the nats of every scored token, and where it stands."""

    tokens: NDArray[np.int32]
    nats: NDArray[np.float32]
    lines: NDArray[np.int64]
    """The line of each token."""
    bytes: int
    """Of the text."""
    seen: NDArray[np.bool_] | None = None
    """Whether train has the line of each token."""
    windows: float | None = None
    """Perplexity over windows that do not overlap."""

    @property
    def perplexity(self) -> float:
        return perplexity(self.nats)

    @property
    def perplexity_of_lines(self) -> float:
        """The mean of each line's own perplexity, which one unlikely line can decide."""
        count = np.bincount(self.lines)
        total = np.bincount(self.lines, weights=self.nats.astype(np.float64))
        with np.errstate(over="ignore"):
            return float(np.exp(total[count > 0] / count[count > 0]).mean())

    def to_dict(self) -> dict[str, Any]:
        """Every figure of the text."""
        facts: dict[str, Any] = {
            "tokens": len(self.nats),
            "perplexity": self.perplexity,
            "perplexity_windows": self.windows,
            "perplexity_lines": self.perplexity_of_lines,
            "bits_per_byte": bits_per_byte(self.nats, self.bytes),
        }
        if self.seen is not None:
            facts["perplexity_seen"] = perplexity(self.nats[self.seen]) if self.seen.any() else None
            facts["perplexity_unseen"] = perplexity(self.nats[~self.seen]) if not self.seen.all() else None
        return {name: _finite(value) if isinstance(value, float) else value for name, value in facts.items()}


@dataclass(frozen=True, eq=False)
class LanguageScores:
    """A language model on every text that was measured."""

    texts: Mapping[str, TextScores]

    @property
    def on_dev(self) -> tuple[float, ...] | None:
        """What is chosen by: the more the better."""
        dev = self.texts.get("dev")
        return None if dev is None else (-float(dev.nats.mean(dtype=np.float64)),)

    def row(self) -> dict[str, Any]:
        """The figures of one line of the metrics."""
        return {"perplexity": {name: _finite(text.perplexity) for name, text in self.texts.items()}}

    def to_dict(self) -> dict[str, Any]:
        """Every figure."""
        return {name: text.to_dict() for name, text in self.texts.items()}


Scores = ClassifierScores | LanguageScores


def _finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if np.isfinite(value) else None
