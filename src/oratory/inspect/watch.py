"""Watching a model attend: the weights of one layer after the other, each compared with what the fast path gives.

Shapes: B batch, T tokens, H heads, G heads of keys and values, D width, E width of a head.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from oratory.model import Transformer
from oratory.model.attention import SelfAttention, View


@dataclass(frozen=True)
class LayerWeights:
    """One layer at work."""

    layer: int
    weights: Tensor  # B, H, T, T
    apart: Tensor | None  # B, T: how far the output that follows from the weights is from that of the fast path


@torch.no_grad()
def watch(
    model: Transformer, ids: Tensor, mask: Tensor | None, visit: Callable[[LayerWeights], None], compare: bool = False
) -> None:
    """Run the open path, and hand over every layer's weights as soon as they are there.

    No layer's weights are kept, so that a long text needs the memory of one layer. With `compare`, the fast path runs
    in every layer on the same input, and its output is compared with the one that the weights give.
    """
    training = model.training
    model.eval()
    hooks = []
    for layer, block in enumerate(model.blocks):

        def found(
            attention: SelfAttention, given: tuple[Any, ...], output: tuple[Tensor, Tensor], layer: int = layer
        ) -> tuple[Tensor, None]:
            weights = output[1]
            visit(LayerWeights(layer, weights, _apart(attention, given, weights) if compare else None))
            return output[0], None

        hooks.append(block.attention.register_forward_hook(found))  # type: ignore[union-attr]
    try:
        model(ids, mask, weights=True)
    finally:
        for hook in hooks:
            hook.remove()
        model.train(training)


def _apart(attention: SelfAttention, given: tuple[Any, ...], weights: Tensor) -> Tensor:
    """The largest difference in each token's output, as a share of the largest output where that is above one."""
    x, view, position, _ = given
    fast, _ = attention.forward(x, replace(view, weights=False) if isinstance(view, View) else view, position)
    ours = output_of(attention, x, weights)
    scale = max(1.0, float(fast.abs().max()))
    return (ours - fast).abs().amax(-1) / scale  # B, T


def output_of(attention: SelfAttention, x: Tensor, weights: Tensor) -> Tensor:
    """What attention gives for its input (B, T, D) when its weights are these."""
    config = attention.config
    values = attention.value(x).view(*x.shape[:2], config.groups, config.columns).transpose(1, 2)  # B, G, T, E
    values = values.repeat_interleave(config.heads // config.groups, dim=1)
    heads = (weights @ values).transpose(1, 2)  # B, T, H, E
    if hasattr(attention.merge, "merge"):
        heads = attention.merge.merge(heads, attention.training)
    merged: Tensor = attention.output(heads.flatten(2))
    return merged
