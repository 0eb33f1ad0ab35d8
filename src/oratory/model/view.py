"""What the layers look at: who may see whom, texts without their padding, and the keys and values so far.

Shapes: B batch, T tokens, Q queries, K keys, H heads, D width, E width of a head.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from oratory.mechanisms import Scene
from oratory.mechanisms.kept import kept
from oratory.model.config import ModelConfig
from oratory.model.products import are_fast
from oratory.model.sparse import allow

ROWS = 32
"""Packed tokens are a multiple of this where products are fast."""


@dataclass(frozen=True)
class View:
    """What every layer looks at: the positions of the tokens, who may see whom, and whether weights are wanted."""

    config: ModelConfig
    positions: Tensor  # Q: of the tokens that come in
    k_positions: Tensor  # K: of all there are by then, those of a cache included
    keep: Tensor | None = None  # B, K: false for padding
    weights: bool = False
    packed: bool = False
    """Whether tokens come without their padding, all in one row."""
    first: dict[str, Tensor] = field(default_factory=dict, repr=False, compare=False)
    """The values of the first layer, where later ones want them."""
    _same: dict[bool, Tensor] = field(default_factory=dict, init=False, repr=False, compare=False)

    def mask_of(self, positions: Tensor) -> Tensor:
        """Whom the tokens at these positions may see: (B or 1, 1, Q or 1, K)."""
        pattern, causal = self.config.pattern, self.config.causal
        mask = allow(pattern, causal, positions[None, None, :, None], self.k_positions[None, None, None, :])
        return mask if self.keep is None else mask & self.keep[:, None, None, :]

    @cached_property
    def mask(self) -> tuple[Tensor, Tensor | None]:
        """The mask, with everything allowed to a query that may see nothing; and which queries these are, or None."""
        if self.keep is None and self.positions is self.k_positions:
            key = ("mask", self.config.pattern, self.config.causal)
            return kept(self.positions, key, lambda: self._opened_mask())
        return self._opened_mask()

    def _opened_mask(self) -> tuple[Tensor, Tensor | None]:
        mask, blind = opened(self.mask_of(self.positions))
        return mask, blind if torch.compiler.is_exporting() or blind.any() else None

    def added(self, position: Any, q: Tensor, k: Tensor, scene: Scene) -> Tensor:
        """What is added to scores in a layer.

        It is made once where it is the same in all layers; the fused kernel would make it of a mask in each.
        """
        if hasattr(position, "bias") and not self.config.position.one_bias:
            return added_by(position, q, k, scene, self.mask[0])
        biased = hasattr(position, "bias")  # A layer may be without positions where others have them.
        if biased not in self._same:
            self._same[biased] = added_by(position, q, k, scene, self.mask[0])
        return self._same[biased]

    @cached_property
    def _computed(self) -> Tensor | None:
        """The places of the tokens that are computed, row by row; None if all are.

        These are the tokens that are no padding. The library of fast products prepares for every number of rows anew,
        so there some padding comes along, to a round number of rows.
        """
        if not self.packed or self.keep is None:
            return None
        keep = self.keep.flatten()
        real = keep.nonzero().squeeze(1)
        missing = -len(real) % ROWS if are_fast() else 0
        return torch.cat([real, (~keep).nonzero().squeeze(1)[:missing]]) if missing else real

    def pack(self, x: Tensor) -> Tensor:
        """B, T, D without (most of) its padding: N, D. Layers that treat each token by itself need not compute it."""
        return x if self._computed is None else x.flatten(0, 1).index_select(0, self._computed)

    def real(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """The row and the column of each packed token."""
        places = torch.arange(ids.numel(), device=ids.device) if self._computed is None else self._computed
        return places // ids.shape[1], places % ids.shape[1]

    def unpack(self, x: Tensor) -> Tensor:
        """The tokens back in their places, with zeros for padding."""
        if self._computed is None or self.keep is None:
            return x
        places = x.new_zeros(self.keep.numel(), x.shape[1])
        return places.index_copy_(0, self._computed, x).view(*self.keep.shape, x.shape[1])


class Cache:
    """Keys and values of the tokens so far, for one layer; what its mixer was given; in the first layer, the tokens."""

    def __init__(self) -> None:
        self.keys: Tensor | None = None
        self.values: Tensor | None = None
        self.inputs: Tensor | None = None
        self.ids: Tensor | None = None  # B, S
        self.vectors: Tensor | None = None  # B, S, D: after the last block
        self._joined: tuple[Tensor, Tensor | None] | None = None

    def __len__(self) -> int:
        if self.keys is None:
            return 0 if self.inputs is None else self.inputs.shape[1]
        return self.keys.shape[2]

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Everything so far, with what comes now at the end."""
        self.keys = k if self.keys is None else torch.cat([self.keys, k], dim=2)
        self.values = v if self.values is None else torch.cat([self.values, v], dim=2)
        return self.keys, self.values

    def joined(self, make: Callable[[], tuple[Tensor, Tensor | None]]) -> tuple[Tensor, Tensor | None]:
        """Weights and biases of queries, keys and values as one: they stay as they are while a text is continued."""
        if self._joined is None:
            self._joined = make()
        return self._joined

    def extend(self, x: Tensor) -> Tensor:
        """The inputs of a mixer so far (B, T, D), with those that come now."""
        self.inputs = x if self.inputs is None else torch.cat([self.inputs, x], dim=1)
        return self.inputs

    def read(self, ids: Tensor) -> Tensor:
        """The tokens so far, with those that come now."""
        self.ids = ids if self.ids is None else torch.cat([self.ids, ids], dim=1)
        return self.ids

    def recall(self, vectors: Tensor) -> Tensor:
        """The vectors of the tokens so far, with those that come now."""
        self.vectors = vectors if self.vectors is None else torch.cat([self.vectors, vectors], dim=1)
        return self.vectors


def added_by(position: Any, q: Tensor, k: Tensor, scene: Scene, mask: Tensor) -> Tensor:
    """What is added to scores: the position's bias, if it has one, and minus infinity where nothing may be seen."""
    bias: Tensor = position.bias(q, k, scene) if hasattr(position, "bias") else q.new_zeros(1)
    return bias.masked_fill(~mask, float("-inf"))


def opened(mask: Tensor) -> tuple[Tensor, Tensor]:
    """The mask with blind queries (of a text that is all padding) seeing everything, and which these are."""
    blind = ~mask.any(-1, keepdim=True)  # B or 1, 1, Q or 1, 1
    return mask | blind, blind
