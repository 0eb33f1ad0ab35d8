"""Pseudo-perplexity."""

from oratory.training.tasks.mlm.metrics.nats_per_masked_token import NatsPerMaskedToken


class PseudoPerplexity(NatsPerMaskedToken):
    """The exponential of the mean pseudo-surprisal (Salazar et al., 2020, arXiv:1910.14659). No perplexity: a token is
    predicted from both sides here, and the two must not be compared."""

    name = "pseudo-perplexity"
    rank = 0
    logarithmic = True
    digits = 1
    column = "pseudo-perplexity"
    difference_unit = "%"

    def chosen_by(self) -> NatsPerMaskedToken:
        return NatsPerMaskedToken()
