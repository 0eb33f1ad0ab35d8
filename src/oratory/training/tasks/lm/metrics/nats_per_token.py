"""Nats per token."""

import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oratory.training.tasks.lm.metric import LanguageMetric

if TYPE_CHECKING:
    from oratory.baselines.scores import TextFacts
    from oratory.statistics import Array


class NatsPerToken(LanguageMetric):
    """The mean surprisal of a token. A search goes by it, since equal steps of it matter equally."""

    name = "nats per token"
    unit = "nats per token"
    same_tokens = True
    rank = 2
    digits = 3
    column = "nats per token"

    def per_block(self, nats: "Array", tokens: "Array", size: "Array") -> tuple["Array", "Array"]:
        return nats / tokens, tokens

    def of_text(self, facts: "TextFacts") -> float:
        return math.log(facts.perplexity)

    def of_result(self, split: Mapping[str, Any]) -> float:
        # A perplexity that is more than a number can hold is recorded as none.
        return math.log(sys.float_info.max if split["perplexity"] is None else split["perplexity"])
