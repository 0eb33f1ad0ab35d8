"""The loss of the output layer, with its gradients, and without ever holding all logits.

The plain way makes the logits of all tokens (megabytes), their softmax, its gradient, and then the gradients of the
layer. Here a few rows at a time are made, turned into their own gradient in place, and multiplied into the gradients of
the layer and of the tokens at once, while they are in the processor's cache. The products are the same, so the result
is that of the plain way but for rounding.

Shapes: N tokens, C of them at a time, D width, V vocabulary.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import cross_entropy, linear

from oratory.batches import IGNORE
from oratory.model.products import fast_products

CHUNK = 3 << 17
"""Logits that are made at once: one and a half megabytes, about what a processor's nearer cache holds."""
LEAST = 16
"""Tokens at a time, however large the vocabulary is."""
TINY = 1e-30
"""A probability below this is not precise; what depends on it is computed the plain way."""


@dataclass(frozen=True)
class Targets:
    """What a batch, which may be a part of an update, has to predict."""

    ids: Tensor  # The token that each place is to predict, or IGNORE
    count: int
    """Targets of the whole update, over which the loss is the mean."""
    smoothing: float = 0.0
    """The share of a target that is spread over all tokens."""


def head_loss(head: nn.Module, hidden: Tensor, targets: Targets) -> Tensor:
    """The summed cross-entropy of tokens (N, D), over the count of targets."""
    wanted = targets.ids  # N
    kept = wanted != IGNORE
    if not kept.all():
        hidden, wanted = hidden[kept], wanted[kept]
    if not is_fast(head, hidden):
        return plain_loss(head, hidden, wanted, targets)
    loss: Tensor = _HeadLoss.apply(  # type: ignore[no-untyped-call]
        hidden, head.weight, head.bias, wanted, targets.count, targets.smoothing
    )
    return loss


def plain_loss(head: Callable[[Tensor], Tensor], hidden: Tensor, wanted: Tensor, targets: Targets) -> Tensor:
    """The plain way, with all logits at once: on a GPU, in mixed precision, or if traced."""
    logits = head(hidden).float()
    return cross_entropy(logits, wanted, reduction="sum", label_smoothing=targets.smoothing) / targets.count


def is_fast(head: nn.Module, hidden: Tensor) -> bool:
    """Whether the loss is computed a few rows at a time."""
    rewritten = torch.compiler.is_compiling() or torch._C._functorch.peek_interpreter_stack() is not None
    whole = hidden.device.type == "cpu" and hidden.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
    return whole and not rewritten and type(head).forward is nn.Linear.forward


class _HeadLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        count: int,
        smoothing: float,
    ) -> Tensor:
        of_tokens, of_weight, of_bias = (
            torch.empty_like(hidden),
            torch.zeros_like(weight),
            weight.new_zeros(len(weight)),
        )
        found = hidden.new_empty(len(hidden), 1)
        reached = torch.empty_like(found) if smoothing else None  # The logits of the targets.
        rows = max(LEAST, CHUNK // len(weight))
        buffer, ones = weight.new_empty(rows, len(weight)), weight.new_ones(rows, 1)
        scaled, wanted = hidden / count, targets[:, None]
        with fast_products():
            for at in range(0, len(hidden), rows):
                part = slice(at, at + rows)
                length = len(hidden[part])
                here, one = buffer[:length], ones[:length]  # C, V
                if bias is None:
                    torch.mm(hidden[part], weight.t(), out=here)
                else:
                    torch.addmm(bias, hidden[part], weight.t(), out=here)
                if reached is not None:
                    reached[part] = here.gather(1, wanted[part])
                torch.softmax(here, 1, out=here)
                found[part] = here.gather(1, wanted[part])
                here.scatter_add_(1, wanted[part], (smoothing - 1) * one)  # The gradient of the logits.
                torch.mm(here, weight, out=of_tokens[part])
                of_weight.addmm_(here.t(), scaled[part])
                if bias is not None:
                    of_bias.addmv_(here.t(), one[:, 0])
        nats = -found[:, 0].log()
        if reached is not None:
            # The share that is spread over all tokens has the same gradient everywhere, so it needs no further logits:
            # the loss is -ln p + smoothing (logit of the target - mean of all logits).
            of_tokens -= smoothing * weight.mean(0)
            of_weight -= scaled.sum(0) * (smoothing / len(weight))
            of_bias -= smoothing * len(hidden) / len(weight)
        lost = nats > -math.log(TINY)
        if lost.any():
            nats[lost] = cross_entropy(linear(hidden[lost], weight, bias), targets[lost], reduction="none")
        if reached is not None:
            mean = hidden @ weight.mean(0) + (0.0 if bias is None else bias.mean())
            nats += smoothing * (reached[:, 0] - mean)
        ctx.gradients = (of_tokens.div_(count), of_weight, None if bias is None else of_bias.div_(count))
        return nats.sum() / count

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, above: Tensor) -> tuple[Tensor | None, ...]:
        # Nothing is kept here, so that a parameter can take its gradient as it is, without a copy.
        gradients, ctx.gradients = ctx.gradients, None
        factor = float(above)
        scaled = (part if part is None or factor == 1 else part.mul_(factor) for part in gradients)
        return *scaled, None, None, None
