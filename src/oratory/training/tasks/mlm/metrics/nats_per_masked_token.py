"""Nats per masked token."""

from collections.abc import Mapping
from typing import Any

from oratory.training.running_text.metric import TokenMetric


class NatsPerMaskedToken(TokenMetric):
    """The mean pseudo-surprisal of a token, given those on both sides; a search goes by it."""

    name = "nats per masked token"
    unit = "nats per masked token"
    rank = 1
    digits = 3
    column = "nats per masked token"
    recorded = "pseudo_perplexity"

    def of_result(self, split: Mapping[str, Any]) -> float:
        return float(split["nats"])
