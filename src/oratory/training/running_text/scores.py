"""What a model of running text scores on the texts of a corpus."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from oratory.tables import finite
from oratory.tokens.scoring import perplexity
from oratory.training.running_text.metric import TokenMetric

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class TokenScores(ABC):
    """A model on one text: the nats of every scored token, and its line."""

    tokens: NDArray[np.int32]
    nats: NDArray[np.float32]
    lines: NDArray[np.int64]
    """The line of each token."""
    seen: NDArray[np.bool_] | None
    """Whether train has the line of each token."""

    @property
    def mean(self) -> float:
        """Nats per token."""
        return float(self.nats.mean(dtype=np.float64))

    @property
    def figure(self) -> float:
        """The exponential of the mean."""
        return perplexity(self.nats)

    def of_lines(self, name: str) -> dict[str, float | None]:
        """The figure of the lines that train has, and of the others, where that is known."""
        if self.seen is None:
            return {}
        parts = {f"{name}_seen": self.seen, f"{name}_unseen": ~self.seen}
        return {key: finite(perplexity(self.nats[part])) if part.any() else None for key, part in parts.items()}

    def columns(self) -> dict[str, Any]:
        """What is kept of every token."""
        return {"line": self.lines, "token": self.tokens, "nats": self.nats}

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Every figure of the text."""


@dataclass(frozen=True, eq=False)
class TextsScores(ABC):
    """A model on every text that was measured."""

    texts: Mapping[str, TokenScores]

    metric: ClassVar[TokenMetric]
    """What the exponential of a mean is."""

    @property
    def on_dev(self) -> tuple[float, ...] | None:
        """What is chosen by: minus the mean surprisal of dev, so that more is better."""
        dev = self.texts.get("dev")
        return None if dev is None else (-dev.mean,)

    def row(self) -> dict[str, Any]:
        """The figures of one line of the metrics."""
        return {self.metric.recorded: {name: finite(text.figure) for name, text in self.texts.items()}}

    def to_dict(self) -> dict[str, Any]:
        """Every figure."""
        return {name: text.to_dict() for name, text in self.texts.items()}

    def items(self) -> "pa.Table":
        """A row for each scored token of every text but train."""
        import pyarrow as pa

        parts = []
        for name, text in self.texts.items():
            if name == "train":
                continue
            size = len(text.nats)
            columns: dict[str, Any] = {
                "text": pa.array([name] * size, pa.string()).dictionary_encode(),
                **text.columns(),
                "seen": pa.nulls(size, pa.bool_()) if text.seen is None else text.seen,
            }
            parts.append(pa.table(columns))
        return pa.concat_tables(parts, promote_options="permissive") if parts else pa.table({})

    def described(self, step: int, epoch: float, loss: str) -> str:
        """One line for the terminal. Where there is dev, that is what to look at on the way, and test is left out."""
        shown = {name: text for name, text in self.texts.items() if name in ("train", "dev") or "dev" not in self.texts}
        figures = [f"{name} {self.metric.show_value(text.figure)}" for name, text in shown.items()]
        return f"step {step:,}{loss}  {self.metric.name}: {'  '.join(figures)}"
