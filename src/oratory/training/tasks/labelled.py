"""Probabilities of labels beside the labels, for the items of one split.

Shapes: N items, C classes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow

BINS = 15
"""Bins of the calibration error, of equal width (Guo et al., 2017, arXiv:1706.04599)."""


@dataclass(frozen=True, eq=False)
class SplitScores:
    """A classifier's probabilities for the items of one split."""

    labels: NDArray[np.int64]  # N
    probabilities: NDArray[np.float32]  # N, C
    seen: NDArray[np.bool_] | None = None  # N: whether train has the text
    in_dev: NDArray[np.bool_] | None = None  # N: whether dev has it, and train has not

    @classmethod
    def recorded(cls, items: "pyarrow.Table") -> "SplitScores":
        """The scores of one split, from the results that a run recorded item by item."""
        seen = items["seen"]
        return cls(
            labels=items["label"].to_numpy(),
            probabilities=np.stack(items["probabilities"].to_numpy()),
            seen=None if seen.null_count else seen.to_numpy(),
        )

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
        if self.in_dev is not None and self.in_dev.any():
            facts["accuracy_in_dev"] = self.accuracy_where(self.in_dev)
            facts["items_in_dev"] = int(self.in_dev.sum())
        facts["per_class"] = self.per_class(names)
        facts["confusion"] = self.confusion.tolist()
        facts["calibration_error"] = self.calibration_error()
        facts["calibration"] = self.calibration()
        return facts
