"""What a classifier scores on the splits of a corpus."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from oratory.training.tasks.labelled import SplitScores


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

    def items(self) -> pa.Table:
        """A row for each text of every split but train."""
        parts = []
        for name, split in self.splits.items():
            if name == "train":
                continue
            size = len(split.labels)
            columns: dict[str, Any] = {
                "split": pa.array([name] * size, pa.string()),
                "item": np.arange(size),
                "label": split.labels,
                "predicted": split.predicted,
                "correct": split.correct,
                "nats": split.nats,
                "seen": pa.nulls(size, pa.bool_()) if split.seen is None else split.seen,
                "probabilities": pa.array(list(split.probabilities), pa.list_(pa.float32())),
            }
            parts.append(pa.table(columns))
        return pa.concat_tables(parts) if parts else pa.table({})

    def described(self, step: int, epoch: float, loss: str) -> str:
        """One line for the terminal. Where there is dev, that is what to look at on the way, and test is left out."""
        shown = {name: split for name, split in self.splits.items() if name != "test" or "dev" not in self.splits}
        figures = [f"{name} {100 * split.accuracy:.1f}%" for name, split in shown.items()]
        return f"epoch {epoch:g}{loss}  {'  '.join(figures)}"
