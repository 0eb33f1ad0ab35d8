"""The limit: what the matrix products of a work alone would take, at the rate that this machine reaches."""

from collections.abc import Mapping
from functools import partial

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
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    from oratory.bench.ours import update

    call = update(task, settings)
    # The fused kernel is not counted; written out, attention has the same products.
    with torch.random.fork_rng(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        for _ in range(updates):
            call()
    return float(counter.get_total_flops()) / updates
