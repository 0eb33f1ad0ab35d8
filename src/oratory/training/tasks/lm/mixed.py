"""Results of a language model mixed with Kneser-Ney n-grams of its training text, token by token."""

import numpy as np
import pyarrow as pa

from oratory.baselines.counts import KneserNey
from oratory.text import Corpus
from oratory.tokens import Tokenizer, encode_lm
from oratory.tokens.scoring import predicted
from oratory.training.running_text.averaged import mean_nats

ORDER = 5
"""Tokens of the longest n-gram."""


def mixed_with_counts(table: pa.Table, corpus: Corpus, tokenizer: Tokenizer, share: float) -> pa.Table:
    """The same tokens with p = (1 - share) p + share p_KN. The n-grams are those of the baseline, of all of train."""
    encoded = encode_lm(corpus, tokenizer)
    counts = KneserNey(encoded["train"].ids, len(tokenizer))
    texts = np.array(table["text"])
    nats, counted = np.array(table["nats"]).astype(np.float64), np.full(len(table), np.nan)
    for name in corpus.need_lm().tests:
        rows = texts == name
        ids = encoded[name].ids
        scored = predicted(ids, tokenizer)
        assert np.array_equal(np.array(table["token"])[rows], ids[scored])
        [found] = counts.nats(f"modified-kneser-ney-{ORDER}", ids, (0.0,))
        counted[rows] = found[scored]
    known = ~np.isnan(counted)  # Of test alone: dev may be a part of what is counted.
    nats[known] = mean_nats(np.stack([nats, counted])[:, known], np.array([1 - share, share]))
    return table.set_column(table.column_names.index("nats"), "nats", pa.array(nats))
