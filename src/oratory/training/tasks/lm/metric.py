"""Metrics of a language model that compare different tokens."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from oratory.training.running_text.metric import LanguageMetric

if TYPE_CHECKING:
    from oratory.training.running_text.baselines import CountedText


class ClosedMetric(LanguageMetric):
    """A metric that compares different tokens: what they leave open of the text is spelled out, and counts too."""

    missing = (
        "its tokens leave out some of the text, or it was recorded before such text was spelled out; variants with the "
        "same tokens can be compared by their perplexity"
    )
    recorded: ClassVar[str]
    """The figure in the result of a run, and among those of a baseline."""

    size: ClassVar[str]
    """What its mean is over: bytes or words."""

    def of_lines(self, texts: "Sequence[CountedText]") -> dict[str, float | None]:
        return self.of_parts(texts, self.recorded, self.size)

    def of_text(self, facts: "CountedText") -> float | None:
        found: float | None = getattr(facts, self.recorded)
        return found

    def of_result(self, split: Mapping[str, Any]) -> float:
        found = closed_figure(split, self.recorded)
        return math.nan if found is None else self.mean(found)


def closed_figure(split: Mapping[str, Any], name: str) -> float | None:
    """A figure of a run's result that is closed over text, or None.

    A result without a perplexity per word is older than that, and its bits per byte left unknown words out.
    """
    found: float | None = split[name] if "perplexity_per_word" in split else None
    return found
