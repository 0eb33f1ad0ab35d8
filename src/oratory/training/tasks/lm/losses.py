"""The loss of single texts."""

import numpy as np
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from oratory.model import Transformer
from oratory.training.tasks.samples import Places, Samples


def losses(model: Transformer, samples: Samples) -> NDArray[np.float64]:
    """Nats of each text: the mean of its tokens, each given those before it."""

    def nats(chosen: Places, ids: Tensor) -> Tensor:
        logits = model(ids[:, :-1]).logits.float()
        return cross_entropy(logits.transpose(1, 2), ids[:, 1:], reduction="none").mean(-1)

    return samples.losses(model, lambda length: length * model.config.vocabulary, nats)
