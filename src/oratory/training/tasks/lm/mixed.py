"""A language model mixed with Kneser-Ney n-grams of its training text, token by token."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from oratory.baselines.counts import KneserNey
from oratory.text import Corpus
from oratory.tokens import Tokenizer, encode_lm
from oratory.tokens.scoring import predicted
from oratory.training.running_text.averaged import mean_nats

MODEL = "modified-kneser-ney-5"


def counted_nats(corpus: Corpus, tokenizer: Tokenizer) -> dict[str, NDArray[np.float64]]:
    """The surprisal of every scored token of each test text, by n-grams of all of train as the baselines have them."""
    encoded = encode_lm(corpus, tokenizer)
    counts = KneserNey(encoded["train"].ids, len(tokenizer))
    found = {}
    for name in corpus.need_lm().tests:
        [nats] = counts.nats(MODEL, encoded[name].ids, (0.0,))
        found[name] = nats[predicted(encoded[name].ids, tokenizer)]
    return found


def mixed_with_counts(table: pa.Table, counted: Mapping[str, NDArray[np.float64]], share: float) -> pa.Table:
    """The results of a model, with p = (1 - share) p + share p_KN for the tokens of test.

    Those of dev stay as they are: where dev is a part of train, the n-grams have counted it.
    """
    texts, nats = np.array(table["text"]), np.array(table["nats"]).astype(np.float64)
    for name, of_counts in counted.items():
        rows = texts == name
        nats[rows] = mean_nats(np.stack([nats[rows], of_counts]), np.array([1 - share, share]))
    return table.set_column(table.column_names.index("nats"), "nats", pa.array(nats))
