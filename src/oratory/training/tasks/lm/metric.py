"""What every metric of a language model has: nats of a block of text, over the size of the block."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

from oratory.training.tasks.metric import Metric

if TYPE_CHECKING:
    from oratory.baselines import Baselines
    from oratory.baselines.scores import TextFacts
    from oratory.statistics import Array


class LanguageMetric(Metric):
    """A mean over blocks of running text, weighted by their size."""

    better = "lower"

    @abstractmethod
    def per_block(self, nats: "Array", tokens: "Array", size: "Array") -> tuple["Array", "Array"]:
        """The value of each block and its weight, from its nats, its tokens and its bytes."""

    @abstractmethod
    def of_text(self, facts: "TextFacts") -> float:
        """What a baseline scores on one text, on the scale of the recorded figures."""

    def of_baselines(self, found: "Baselines", weights: Mapping[str, float]) -> dict[str, dict[str, float | None]]:
        if not found.chosen:
            return {}
        texts = {name: self.of_text(facts) for name, facts in found.lm[found.chosen].texts.items()}
        shares = {name: weights[name] for name in texts if name in weights}
        mean = sum(share * self.mean(texts[name]) for name, share in shares.items()) / sum(shares.values())
        return {found.chosen: {**texts, "all": self.value(mean)}}
