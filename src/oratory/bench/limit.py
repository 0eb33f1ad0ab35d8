"""The limit: what the matrix products of a work alone would take, at the rate that this machine reaches."""

from collections.abc import Mapping
from functools import partial

from oratory.batches import Order
from oratory.bench.material import prepared
from oratory.bench.work import LIMIT, Call, Contender

SIZE = 1024


def limit_of(task: str, settings: Mapping[str, str]) -> Contender:
    """An update that is nothing but products, for the same batches as everyone's."""
    return Contender(LIMIT, product, factor=operations(task, settings) / (2 * SIZE**3))


def product() -> Call:
    """A product of two square matrices."""
    import torch

    left, right, out = (torch.randn(SIZE, SIZE) for _ in range(3))
    return partial(torch.mm, left, right, out=out)


def operations(task: str, settings: Mapping[str, str], updates: int = 5) -> float:
    """Floating-point operations of the products in an update: the mean over a few batches."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import cross_entropy
    from torch.utils.flop_counter import FlopCounterMode

    made, learning = prepared(task, settings)
    model, order = made.build(), Order(len(learning.items), made.training.batch, made.seed)
    # The fused kernel and the loss without logits are not counted; written out, they have the same products.
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        for step in range(updates):
            batch = learning.items.batch(order.of_step(step))
            logits = model(batch.ids, batch.mask).logits
            cross_entropy(logits.flatten(0, -2), batch.targets.flatten()).backward()  # type: ignore[no-untyped-call]
    return float(counter.get_total_flops()) / updates
