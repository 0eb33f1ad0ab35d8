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


def loss_of_two_passes(model: nn.Module, batch: Batch, targets: int, smoothing: float, weight: float) -> Tensor:
    """R-Drop (Liang et al., 2021, arXiv:2106.14448): two passes with different dropout, which are to agree.

    The mean cross-entropy of both, and `weight` times the mean of the two divergences between them, KL(p||q) and
    KL(q||p). Both passes are one, over every text twice.
    """
    mask = None if batch.mask is None else batch.mask.repeat(2, 1)
    logits = model(batch.ids.repeat(2, 1), mask).logits.float()
    labels = cross_entropy(logits, batch.targets.repeat(2), reduction="sum", label_smoothing=smoothing) / 2
    p, q = logits.log_softmax(-1).chunk(2)
    apart = ((p.exp() - q.exp()) * (p - q)).sum() / 2  # KL(p||q) + KL(q||p), halved
    loss: Tensor = (labels + weight * apart) / targets
    return loss


def loss_of_tokens(model: nn.Module, batch: Batch, targets: int, smoothing: float) -> Tensor:
    """The same for a model of tokens, whose logits are the largest part of the work, and are never made at once."""
    loss: Tensor = model(batch.ids, batch.mask, targets=Targets(batch.targets, targets, smoothing)).loss
    return loss
