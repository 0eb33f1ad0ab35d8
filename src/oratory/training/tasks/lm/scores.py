"""What a language model scores on the texts of a corpus."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.tables import finite
from oratory.tokens.scoring import bits_per_byte, perplexity, perplexity_per_word
from oratory.training.running_text.scores import TextsScores, TokenScores
from oratory.training.tasks.lm.metrics.perplexity import Perplexity


@dataclass(frozen=True, eq=False)
class TextScores(TokenScores):
    """A language model on one text."""

    spelling: NDArray[np.float32]
    """The nats of what each token leaves open of the text; NaN where they are not known."""
    bytes: int
    """Of the text."""
    words: int
    """Of the text."""
    windows: float | None = None
    """Perplexity over windows that do not overlap."""
    in_dev: NDArray[np.bool_] | None = None
    """Whether dev has the line of each token, and train has not."""

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
            "perplexity": self.figure,
            "perplexity_windows": self.windows,
            "perplexity_lines": self.perplexity_of_lines,
            "bits_per_byte": bits_per_byte(self.nats, self.spelling, self.bytes),
            "perplexity_per_word": perplexity_per_word(self.nats, self.spelling, self.words),
        }
        facts |= self.of_lines("perplexity")
        if self.in_dev is not None and self.in_dev.any():
            facts["perplexity_in_dev"] = perplexity(self.nats[self.in_dev])
        return {name: finite(value) if isinstance(value, float) else value for name, value in facts.items()}

    def columns(self) -> dict[str, Any]:
        return super().columns() | {"spelling": self.spelling}


class LanguageScores(TextsScores):
    """A language model on every text that was measured."""

    metric = Perplexity()
