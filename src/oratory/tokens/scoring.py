"""How a language model is scored: which tokens count, and the figures made of their surprisal (-ln p, in nats)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oratory.tokens.tokenizer import START, Tokenizer


def predicted(ids: NDArray[np.int32], tokenizer: Tokenizer) -> NDArray[np.bool_]:
    """Every token counts but <START>, which is given."""
    start = tokenizer.find(START)
    return np.ones(len(ids), dtype=bool) if start is None else ids != start


def perplexity(nats: NDArray[np.floating[Any]]) -> float:
    """exp of the mean; infinite where that is more than a number can hold."""
    with np.errstate(over="ignore"):
        return float(np.exp(nats.mean(dtype=np.float64)))


def bits_per_byte(nats: NDArray[np.floating[Any]], size: int) -> float:
    """Of a text of `size` bytes; comparable whatever its tokens are."""
    return float(nats.astype(np.float64).sum() / np.log(2) / size)
