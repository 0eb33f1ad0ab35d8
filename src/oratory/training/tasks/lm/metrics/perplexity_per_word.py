"""Perplexity per word."""

from typing import TYPE_CHECKING

from oratory.training.running_text.metric import BlockSums, per
from oratory.training.tasks.lm.metric import ClosedMetric

if TYPE_CHECKING:
    from oratory.statistics import Array


class PerplexityPerWord(ClosedMetric):
    """The exponential of the mean surprisal of a word of the text, whatever the tokens are; text that they leave open
    is spelled out."""

    name = "perplexity per word"
    unit = "nats per word"
    rank = 3
    logarithmic = True
    column = "perplexity per word"
    difference_unit = "%"
    recorded = "perplexity_per_word"
    size = "words"

    def per_block(self, sums: BlockSums) -> tuple["Array", "Array"]:
        return per(sums.nats + sums.spelling, sums.words), sums.words
