"""Perplexity."""

from typing import TYPE_CHECKING

from oratory.training.tasks.lm.metric import LanguageMetric
from oratory.training.tasks.lm.metrics.nats_per_token import NatsPerToken

if TYPE_CHECKING:
    from oratory.baselines.scores import TextFacts


class Perplexity(NatsPerToken):
    """The exponential of the mean surprisal of a token, so it depends on what the tokens are."""

    name = "perplexity"
    rank = 0
    logarithmic = True
    digits = 1
    column = "perplexity"
    difference_unit = "%"

    def chosen_by(self) -> LanguageMetric:
        return NatsPerToken()

    def of_text(self, facts: "TextFacts") -> float:
        return facts.perplexity
