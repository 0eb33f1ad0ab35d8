"""Perplexity."""

from oratory.training.tasks.lm.metrics.nats_per_token import NatsPerToken


class Perplexity(NatsPerToken):
    """The exponential of the mean surprisal of a token, so it depends on what the tokens are."""

    name = "perplexity"
    rank = 0
    logarithmic = True
    digits = 1
    column = "perplexity"
    difference_unit = "%"

    def chosen_by(self) -> NatsPerToken:
        return NatsPerToken()
