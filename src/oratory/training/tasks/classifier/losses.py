"""The loss of single texts."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from oratory.errors import InputError
from oratory.model import Transformer
from oratory.training.tasks.samples import Places, Samples


def losses(model: Transformer, samples: Samples) -> NDArray[np.float64]:
    """Nats of each text: those of its label."""
    config, labels = model.config, samples.labels
    if labels is None:
        raise InputError(f"A classifier has no loss on the {samples.what}: these have no labels.")

    def nats(chosen: Places, ids: Tensor) -> Tensor:
        targets = torch.from_numpy(labels[chosen]).to(ids.device)
        return cross_entropy(model(ids).logits.float(), targets, reduction="none")

    return samples.losses(model, lambda length: length * config.heads * max(length, config.columns), nats)
