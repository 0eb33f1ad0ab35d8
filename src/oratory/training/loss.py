"""The loss of a batch."""

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from oratory.batches import Batch
from oratory.errors import Failed
from oratory.model import Targets


class NotFinite(Failed):
    """A model's prediction is not a finite number."""


def loss_of_labels(model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
    """The summed cross-entropy of a batch over the number of targets in the whole update.

    The batch may be a part of the update; the parts then add up to the mean over all targets.
    """
    logits = model(batch.ids, batch.mask).logits.float()
    return cross_entropy(logits, batch.targets, reduction="sum", label_smoothing=smoothing) / targets


def loss_of_tokens(model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
    """The same for a model of tokens, whose logits are the largest part of the work, and are never made at once."""
    loss: Tensor = model(batch.ids, batch.mask, targets=Targets(batch.targets, targets, smoothing)).loss
    return loss
