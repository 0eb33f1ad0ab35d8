"""Watching a model attend: the weights of one layer after the other, each compared with what the fast path gives.

Shapes: B batch, T tokens, H heads, G heads of keys and values, D width, E width of a head.
"""

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from oratory.errors import InputError
from oratory.mechanisms import written_as
from oratory.model import Transformer
from oratory.model.attention import SelfAttention
from oratory.model.view import View


@dataclass(frozen=True)
class LayerWeights:
    """One layer at work."""

    layer: int
    weights: Tensor  # B, H, T, T
    apart: Tensor | None  # B, T: how far the output that follows from the weights is from that of the fast path
    loose: bool = False
    """Whether the attention of the model says that its rows are no distributions."""

    @property
    def shares(self) -> Tensor:
        """Rows that sum to one: the weights, or their sizes as shares of the row where they are no distribution."""
        if not self.loose:
            return self.weights
        sizes = self.weights.abs()
        return sizes / sizes.sum(-1, keepdim=True).clamp(min=torch.finfo(sizes.dtype).tiny)


@torch.no_grad()
def watch(
    model: Transformer, ids: Tensor, mask: Tensor | None, visit: Callable[[LayerWeights], None], compare: bool = False
) -> None:
    """Run the open path, and hand over every layer's weights as soon as they are there.

    No layer's weights are kept, so that a long text needs the memory of one layer. With `compare`, the fast path runs
    in every layer on the same input, and its output is compared with the one that the weights give.
    """
    refuse_without_attention(model)
    layers = itertools.count()  # Layers may share a block, which then is called for each of them.

    def found(
        number: int, attention: SelfAttention, given: tuple[Any, ...], output: tuple[Tensor, Tensor]
    ) -> tuple[Tensor, None]:
        weights = output[1]
        apart = _apart(attention, given, weights) if compare else None
        visit(LayerWeights(next(layers), weights, apart, bool(model.config.attention.loose)))
        return output[0], None

    with hooked(model, [block.attention for block in model.blocks], found):  # type: ignore[misc]
        model(ids, mask, weights=True)


@torch.no_grad()
def weights_of(model: Transformer, ids: Tensor, layer: int) -> Tensor:
    """The weights (B, H, T, T) of one layer alone: the others compute on the fast path, which takes far less time."""
    refuse_without_attention(model)
    layers, kept = itertools.count(), list[Tensor]()

    def found(number: int, attention: SelfAttention, given: tuple[Any, ...], output: Any) -> None:
        if next(layers) == layer:
            x, view, position, _ = given
            weights = attention.forward(x, replace(view, weights=True), position)[1]
            assert weights is not None
            kept.append(weights)

    with hooked(model, [block.attention for block in model.blocks], found):  # type: ignore[misc]
        model(ids, last=0)
    return kept[0]


@torch.no_grad()
def vectors(model: Transformer, ids: Tensor) -> list[Tensor]:
    """The vectors (B, T, D) that come into the first block, and those that come out of each."""
    kept: list[Tensor] = []

    def found(number: int, block: nn.Module, given: tuple[Any, ...], output: tuple[Tensor, Any]) -> None:
        kept.extend([output[0]] if kept else [given[0], output[0]])

    with hooked(model, list(model.blocks), found):
        model(ids, last=0)
    return kept


@contextmanager
def hooked(model: Transformer, parts: Sequence[nn.Module], found: Callable[..., Any]) -> Iterator[None]:
    """Whenever one of these parts has computed, `found` gets its number, itself, what it was given and its output.

    A model may be in use by several threads at once, as in the page: each one sees its own computations only.
    """
    here, training = threading.get_ident(), model.training
    model.eval()

    def mine(number: int, *seen: Any) -> Any:
        return found(number, *seen) if threading.get_ident() == here else None

    hooks = [part.register_forward_hook(partial(mine, number)) for number, part in enumerate(parts)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()
        model.train(training)


def refuse_without_attention(model: Transformer) -> None:
    """A model whose mixer takes the place of attention has no weights to look at."""
    if model.config.mixer.instead:
        raise InputError(
            f"This model has no attention weights: mixer={written_as(model.config.mixer)} takes the place of attention."
        )


def _apart(attention: SelfAttention, given: tuple[Any, ...], weights: Tensor) -> Tensor:
    """The largest difference in each token's output, as a share of the largest output where that is above one."""
    x, view, position, _ = given
    fast, _ = attention.forward(x, replace(view, weights=False) if isinstance(view, View) else view, position)
    ours = attention.from_weights(x, weights, view)
    scale = max(1.0, float(fast.abs().max()))
    return (ours - fast).abs().amax(-1) / scale  # B, T
