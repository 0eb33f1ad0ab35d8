"""The loss of a batch."""

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from oratory.batches import IGNORE, Batch
from oratory.errors import Failed


class NotFinite(Failed):
    """A model's prediction is not a finite number."""


def cross_entropy_of(model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
    """The summed cross-entropy of a batch over the number of targets in the whole update.

    The batch may be a part of the update; the parts then add up to the mean over all targets.
    """
    logits = model(batch.ids, batch.mask).logits
    flat = logits.flatten(0, -2).float()
    total = cross_entropy(
        flat, batch.targets.flatten(), ignore_index=IGNORE, reduction="sum", label_smoothing=smoothing
    )
    return total / targets
