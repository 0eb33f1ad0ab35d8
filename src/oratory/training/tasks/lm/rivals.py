"""Kneser-Ney n-grams of train as a model whose surprisal of every token of test is known."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from oratory.text import Corpus
from oratory.tokens import Tokenizer, encode_lm
from oratory.tokens.scoring import predicted
from oratory.training.running_text.averaged import mean_nats
from oratory.training.tasks.lm.mixed import MODEL, counted_nats, mixed_with_counts

RESERVING = f"{MODEL} with a share for new tokens"


def rivals(corpus: Corpus, tokenizer: Tokenizer, items: pa.Table) -> dict[str, pa.Table]:
    """Modified Kneser-Ney, and the same with the share for new tokens that head=good-turing has, if any are new."""
    counted = counted_nats(corpus, tokenizer)
    reserving = _with_share(counted, corpus, tokenizer)
    found = {MODEL: counted} | ({RESERVING: reserving} if reserving else {})
    return {name: mixed_with_counts(items, nats, 1.0) for name, nats in found.items()}


def _with_share(
    counted: Mapping[str, NDArray[np.float64]], corpus: Corpus, tokenizer: Tokenizer
) -> dict[str, NDArray[np.float64]]:
    """p = (1 - s) p_KN + s u: u is even over the tokens that train does not have, and s is the share of singletons."""
    encoded = encode_lm(corpus, tokenizer)
    counts = np.bincount(encoded["train"].ids, minlength=len(tokenizer))
    new, share = counts == 0, float((counts == 1).sum() / counts.sum())
    if not new.any() or not share:
        return {}
    even = np.where(new, np.log(new.sum()), np.inf)  # The surprisal of each token under u.
    found = {}
    for name, nats in counted.items():
        ids = encoded[name].ids
        both = np.stack([nats, even[ids[predicted(ids, tokenizer)]]])
        found[name] = mean_nats(both, np.array([1 - share, share]))
    return found
