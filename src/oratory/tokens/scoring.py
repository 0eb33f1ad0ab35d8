"""How a language model is scored: which tokens count, and the figures made of their surprisal (-ln p, in nats)."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.tokens.tokenizer import START, Tokenizer
from oratory.tokens.words import split


def predicted(ids: NDArray[np.int32], tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """Every token counts but <START>, which is given."""
    start = tokenizer.find(START)
    return np.ones(len(ids), dtype=bool) if start is None else ids != start


def perplexity(nats: NDArray[np.floating[Any]]) -> float:
    """exp of the mean; infinite where that is more than a number can hold."""
    with np.errstate(over="ignore"):
        return float(np.exp(nats.mean(dtype=np.float64)))


def bits_per_byte(nats: NDArray[np.floating[Any]], spelling: NDArray[np.floating[Any]], size: int) -> float:
    """Of a text of `size` bytes, given its tokens and the spelling of what they leave open; NaN where that is unknown.

    With the spelling it is comparable whatever the tokens are.
    """
    return _total(nats, spelling) / float(np.log(2)) / size


def perplexity_per_word(nats: NDArray[np.floating[Any]], spelling: NDArray[np.floating[Any]], words: int) -> float:
    """As `perplexity`, with the spelling, and with the words of the text instead of its tokens; NaN without words."""
    with np.errstate(over="ignore"):
        return float(np.exp(_total(nats, spelling) / (words or np.nan)))


def count_words(lines: Iterable[str]) -> int:
    """Words and punctuation marks, as the tokenizer `word` splits them."""
    return sum(len(split(line)) for line in lines)


def _total(nats: NDArray[np.floating[Any]], spelling: NDArray[np.floating[Any]]) -> float:
    return float(nats.sum(dtype=np.float64) + spelling.sum(dtype=np.float64))
