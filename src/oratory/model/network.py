"""Encoder, classifier and decoder from one configuration.

Shapes: B batch, T tokens, D width, V vocabulary, L layers.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from oratory.errors import InputError
from oratory.mechanisms import Mechanism
from oratory.mechanisms.kept import positions_of
from oratory.model.attention import Cache, SelfAttention, View
from oratory.model.config import ModelConfig
from oratory.model.head import Targets, head_loss
from oratory.model.initial import initialise
from oratory.seeds import seeded


@dataclass(frozen=True)
class Output:
    """What a model gives: logits (or vectors, from an encoder), and what was asked for besides."""

    logits: Tensor
    hidden: Tensor  # B, T, D: after the last block
    weights: tuple[Tensor, ...] = ()
    """The attention weights of each layer (B, H, T, T), where they were asked for."""
    loss: Tensor | None = None
    """Of the targets, where there were some; there are no logits then."""


class TransformerBlock(nn.Module):
    """Attention and feed-forward, each with a residual; the norm before each (pre) or after each sum (post)."""

    def __init__(self, config: ModelConfig, merge: Any) -> None:
        super().__init__()
        self.config = config
        self.attention = SelfAttention(config, merge)
        self.feedforward = build(config.feedforward, config.width)
        self.attention_norm = build(config.norm, config.width)
        self.feedforward_norm = build(config.norm, config.width)

    def forward(self, x: Tensor, view: View, position: Any, cache: Cache | None) -> tuple[Tensor, Tensor | None]:
        pre = self.config.norm.place == "pre"
        out, weights = self.attention(self.attention_norm(x) if pre else x, view, position, cache)
        x = x + self._dropped(out)
        x = x if pre else self.attention_norm(x)
        x = x + self._dropped(self.feedforward(self.feedforward_norm(x) if pre else x))
        return x if pre else self.feedforward_norm(x), weights

    def _dropped(self, x: Tensor) -> Tensor:
        return dropout(x, self.config.dropout) if self.training and self.config.dropout else x


class Transformer(nn.Module):
    """An encoder or a decoder, with or without a head.

    The initial value of a parameter follows from `seed` and from the name of the parameter.
    """

    def __init__(self, config: ModelConfig, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        with seeded(seed, "model"):  # The framework draws values of its own; its generator is to stay as it is.
            self._build(seed)
        initialise(self, config, seed)
        if config.output == "tokens" and config.tied:
            self.head.weight = self.tokens.weight  # type: ignore[union-attr]

    def _build(self, seed: int) -> None:
        config = self.config
        self.tokens = nn.Embedding(config.vocabulary, config.width)
        self.types = nn.Embedding(config.token_types, config.width) if config.token_types else None
        self.embedding_norm = build(config.norm, config.width) if config.embedding_norm else None
        with seeded(seed, "position"):
            self.position = build(config.position, config.shape(seed))
        blocks = []
        for layer in range(config.layers):
            with seeded(seed, f"merge {layer}"):
                blocks.append(TransformerBlock(config, build(config.merge, config.shape(seed * 1000 + layer))))
        self.blocks = nn.ModuleList(blocks)
        self.norm = build(config.norm, config.width) if config.norm.place == "pre" else None
        self.pool: Any = None
        self.head: nn.Module | None = None
        if config.output == "classes":
            with seeded(seed, "pool"):
                self.pool = build(config.pool, config.shape(seed))
            self.head = _classifier_head(config)
        elif config.output == "tokens":
            self.head = nn.Linear(config.width, config.vocabulary, bias=config.head_bias)

    def forward(
        self,
        ids: Tensor,
        mask: Tensor | None = None,
        types: Tensor | None = None,
        weights: bool = False,
        caches: list[Cache] | None = None,
        last: int | None = None,
        places: Tensor | None = None,
        targets: Targets | None = None,
    ) -> Output:
        """Ids (B, T) and a mask that is false for padding, to logits: (B, classes), or (B, T, V) of a language model.

        With caches, the ids continue what the caches hold. With `last`, a language model computes the
        logits of the last so many tokens only (or of none), which are the largest part of the work; with `places`
        (B, T) it computes those of the N tokens where it is true, as (N, V). With `targets` of (B, T) it computes the
        loss and no logits, which is much faster.
        """
        before = len(caches[0]) if caches else 0
        self._check(ids, before)
        everywhere = positions_of(before + ids.shape[1], ids.device)
        here = everywhere if not before else everywhere[before:]
        # Padding stays in for maps, caches, merges that mix tokens, and what is exported.
        whole = weights or caches or hasattr(self.config.merge, "merge") or torch.compiler.is_exporting()
        view = View(self.config, here, everywhere, mask, weights, packed=not whole)
        x = self.tokens(ids)  # B, T, D
        if self.types is not None:
            x = x + self.types(torch.zeros_like(ids) if types is None else types)
        if hasattr(self.position, "embed"):
            x = self.position.embed(x, view.positions)
        if self.embedding_norm is not None:
            x = self.embedding_norm(x)
        if self.training and self.config.dropout:
            x = dropout(x, self.config.dropout)
        x = view.pack(x)
        maps = []
        for layer, block in enumerate(self.blocks):
            x, found = block(x, view, self.position, caches[layer] if caches else None)
            if found is not None:
                maps.append(found)
        x = x if self.norm is None else self.norm(x)
        hidden = view.unpack(x)
        if targets is not None:
            return Output(hidden.new_empty(0), hidden, tuple(maps), self._loss(x, view, targets))
        return Output(self._logits(hidden, mask, last, places), hidden, tuple(maps))

    def _logits(self, hidden: Tensor, mask: Tensor | None, last: int | None, places: Tensor | None) -> Tensor:
        if self.head is None:
            return hidden
        if places is not None and self.config.output == "tokens":
            hidden = hidden[places]  # N, D
        if last is not None and self.config.causal:
            hidden = hidden[:, hidden.shape[1] - last :]
        if self.pool is not None:
            everything = torch.ones(hidden.shape[:2], dtype=torch.bool, device=hidden.device)
            hidden = self.pool.pool(hidden, everything if mask is None else mask)  # B, D
        logits: Tensor = self.head(hidden)
        return logits

    def _loss(self, x: Tensor, view: View, targets: Targets) -> Tensor:
        assert self.head is not None
        assert self.config.output == "tokens"
        wanted = view.pack(targets.ids[..., None]).flatten()
        return head_loss(self.head, x.view(-1, x.shape[-1]), replace(targets, ids=wanted))

    def _check(self, ids: Tensor, before: int) -> None:
        """Refuse what would end in an error deep inside."""
        if ids.dim() != 2 or not ids.numel():
            raise InputError(
                f"A model needs ids of shape (texts, tokens) with at least one token, not {tuple(ids.shape)}."
            )
        if torch.compiler.is_exporting():  # There are no values then, and any length is to work.
            return
        low, high = int(ids.min()), int(ids.max())
        if low < 0 or high >= self.config.vocabulary:
            wrong = low if low < 0 else high
            raise InputError(f"The id {wrong} is out of range: the vocabulary has {self.config.vocabulary:,} entries.")
        limit = self.config.position.limit(self.config.shape())
        if limit is not None and before + ids.shape[1] > limit:
            raise InputError(
                f"{before + ids.shape[1]} tokens are too long: the positions of this model end at {limit}. Shorten the "
                "text, or train with a larger context or with positions that have no end (rope, alibi, sinusoidal)."
            )


def build(mechanism: Mechanism, shape: Any) -> Any:
    """The part of a model that a mechanism gives: the module it builds, or itself if it learns nothing."""
    return mechanism.build(shape) if hasattr(mechanism, "build") else mechanism


def _classifier_head(config: ModelConfig) -> nn.Module:
    if config.head_hidden is None:
        return nn.Linear(config.width, config.classes)
    return nn.Sequential(
        nn.Linear(config.width, config.head_hidden), nn.ReLU(), nn.Linear(config.head_hidden, config.classes)
    )
