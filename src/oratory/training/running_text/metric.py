"""What every metric of running text has: nats of a block of text, over the size of the block."""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from oratory.training.tasks.metric import Metric

if TYPE_CHECKING:
    from oratory.statistics import Array
    from oratory.training.running_text.baselines import CountedText, TextBaselines


def per(total: "Array", size: "Array") -> "Array":
    """The total of each block over its size; 0 for a block without any, which has no weight."""
    import numpy as np

    return np.divide(total, size, out=np.zeros_like(total), where=size > 0)


@dataclass(frozen=True, eq=False)
class BlockSums:
    """For each block of text: the nats of its tokens, those of what they leave open, and its sizes."""

    nats: "Array"
    spelling: "Array"
    """NaN where it is not known."""
    tokens: "Array"
    words: "Array"
    bytes: "Array"


class LanguageMetric(Metric):
    """A mean over blocks of running text, weighted by their size."""

    better = "lower"

    @abstractmethod
    def per_block(self, sums: BlockSums) -> tuple["Array", "Array"]:
        """The value of each block and its weight."""

    @abstractmethod
    def of_text(self, facts: "CountedText") -> float | None:
        """What a baseline scores on one text, on the scale of the recorded figures."""

    def of_baselines(self, found: "TextBaselines", weights: Mapping[str, float]) -> dict[str, dict[str, float | None]]:
        scored = {}
        for baseline in found.beside:
            facts = found.models[baseline].texts
            texts = {name: self.of_text(text) for name, text in facts.items()}
            means = {name: math.nan if value is None else self.mean(value) for name, value in texts.items()}
            shares = {name: weights[name] for name in texts if name in weights}
            mean = sum(share * means[name] for name, share in shares.items()) / sum(shares.values())
            parts = self.of_lines(list(facts.values()))
            scored[baseline] = {"all": None if math.isnan(mean) else self.value(mean), **parts, **texts}
        return scored

    def of_lines(self, texts: "Sequence[CountedText]") -> dict[str, float | None]:
        """What a baseline scores on the lines that train has, and on the others, where it is known."""
        return {}

    def of_parts(self, texts: "Sequence[CountedText]", figure: str, size: str) -> dict[str, float | None]:
        """The same from a figure of the two parts of each text, and the size that its mean is over."""
        parts: dict[str, list[tuple[int, float | None]]] = {"seen lines": [], "unseen lines": []}
        for text in texts:
            seen = getattr(text, f"{size}_seen")
            parts["seen lines"].append((seen, getattr(text, f"{figure}_seen")))
            parts["unseen lines"].append((getattr(text, size) - seen, getattr(text, f"{figure}_unseen")))
        return {name: self._over(found) for name, found in parts.items()}

    def _over(self, parts: "Sequence[tuple[int, float | None]]") -> float | None:
        """One figure over several parts, from their sizes and figures."""
        known = [(size, self.of_recorded(figure)) for size, figure in parts if size and figure is not None]
        total = sum(size for size, _ in known)
        return self.value(sum(size * mean for size, mean in known) / total) if total else None

    def of_recorded(self, figure: float) -> float:
        """The mean that a recorded figure stands for."""
        return self.mean(figure)


class TokenMetric(LanguageMetric):
    """The mean surprisal of a token, or its exponential."""

    same_tokens = True
    recorded: ClassVar[str]
    """What a result calls the exponential, whichever of the two the metric is."""

    def per_block(self, sums: BlockSums) -> tuple["Array", "Array"]:
        return per(sums.nats, sums.tokens), sums.tokens

    def of_text(self, facts: "CountedText") -> float:
        return facts.perplexity if self.logarithmic else math.log(facts.perplexity)

    def of_lines(self, texts: "Sequence[CountedText]") -> dict[str, float | None]:
        return self.of_parts(texts, "perplexity", "tokens")

    def of_recorded(self, figure: float) -> float:
        return math.log(figure)
