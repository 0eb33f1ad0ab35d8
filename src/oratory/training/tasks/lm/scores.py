"""What a language model scores on the texts of a corpus."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from oratory.tokens.scoring import bits_per_byte, perplexity


@dataclass(frozen=True, eq=False)
class TextScores:
    """A language model on one text: the nats of every scored token, and its line."""

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
        """What is chosen by: minus the mean surprisal of dev, so that more is better."""
        dev = self.texts.get("dev")
        return None if dev is None else (-float(dev.nats.mean(dtype=np.float64)),)

    def row(self) -> dict[str, Any]:
        """The figures of one line of the metrics."""
        return {"perplexity": {name: _finite(text.perplexity) for name, text in self.texts.items()}}

    def to_dict(self) -> dict[str, Any]:
        """Every figure."""
        return {name: text.to_dict() for name, text in self.texts.items()}

    def items(self) -> pa.Table:
        """A row for each scored token of every text but train."""
        parts = []
        for name, text in self.texts.items():
            if name == "train":
                continue
            size = len(text.nats)
            columns: dict[str, Any] = {
                "text": pa.array([name] * size, pa.string()).dictionary_encode(),
                "line": text.lines,
                "token": text.tokens,
                "nats": text.nats,
                "seen": pa.nulls(size, pa.bool_()) if text.seen is None else text.seen,
            }
            parts.append(pa.table(columns))
        return pa.concat_tables(parts, promote_options="permissive") if parts else pa.table({})

    def described(self, step: int, epoch: float, loss: str) -> str:
        """One line for the terminal."""
        figures = [f"{name} {text.perplexity:,.1f}" for name, text in self.texts.items()]
        return f"step {step:,}{loss}  perplexity: {'  '.join(figures)}"


def _finite(value: float) -> float | None:
    """JSON has no infinity."""
    return value if np.isfinite(value) else None
