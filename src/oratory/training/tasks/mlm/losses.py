"""The loss of single texts."""

import numpy as np
from numpy.typing import NDArray

from oratory.model import Transformer
from oratory.tokens import Tokenizer
from oratory.training.tasks.mlm.learning import PASSES
from oratory.training.tasks.mlm.surprisal import CentredWindows, pseudo_surprisal
from oratory.training.tasks.samples import Samples


def losses(model: Transformer, samples: Samples, tokenizer: Tokenizer) -> NDArray[np.float64]:
    """Nats of each text: the mean of its tokens, masked in as many passes as when a run is measured."""
    lengths = [len(ids) for ids in samples.ids]
    windows = CentredWindows.over(np.cumsum([0, *lengths]), max(lengths), max(lengths))  # Each text is one.
    nats = pseudo_surprisal(model, np.concatenate(samples.ids).astype(np.int32), windows, tokenizer, PASSES)
    owners, scored = np.repeat(np.arange(len(samples)), lengths), np.isfinite(nats)
    counts = np.bincount(owners[scored], minlength=len(samples))
    return np.bincount(owners[scored], nats[scored], len(samples)).astype(np.float64) / np.maximum(1, counts)
