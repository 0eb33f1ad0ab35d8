"""Nats per token."""

import math
import sys
from collections.abc import Mapping
from typing import Any

from oratory.training.running_text.metric import TokenMetric


class NatsPerToken(TokenMetric):
    """The mean surprisal of a token. A search goes by it, since equal steps of it matter equally."""

    name = "nats per token"
    unit = "nats per token"
    rank = 2
    digits = 3
    column = "nats per token"
    recorded = "perplexity"

    def of_result(self, split: Mapping[str, Any]) -> float:
        # A perplexity that is more than a number can hold is recorded as none.
        return math.log(sys.float_info.max if split[self.recorded] is None else split[self.recorded])
