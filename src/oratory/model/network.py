"""Encoder, classifier and decoder from one configuration.

Shapes: B batch, T tokens, D width, V vocabulary, L layers.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout

from oratory.batches import IGNORE
from oratory.errors import InputError
from oratory.mechanisms import Mechanism, Reading, TrainingText, written_as
from oratory.mechanisms.kept import positions_of
from oratory.model.attention import SelfAttention
from oratory.model.config import ModelConfig, works_in_attention
from oratory.model.head import Targets, head_loss, plain_loss
from oratory.model.initial import initialise
from oratory.model.view import Cache, View
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
    """Attention and feed-forward, each with a residual; the norm before each (pre) or after each sum (post).

    A mixer may come before attention, or take its place.
    """

    def __init__(self, config: ModelConfig, merge: Any, seed: int, layer: int) -> None:
        super().__init__()
        self.config = config
        with seeded(seed, f"attention {layer}"):
            kind = build(config.attention, config.shape(seed, layer))
        self.attention = None if config.mixer.instead else SelfAttention(config, merge, kind)
        with seeded(seed, f"mixer {layer}"):
            self.mixer = build(config.mixer, config.shape(seed, layer))
        self.feedforward = build(config.feedforward, config.width)
        self.attention_norm = build(config.norm, config.width)
        self.feedforward_norm = build(config.norm, config.width)
        with seeded(seed, f"residual {layer}"):
            self.residual = build(config.residual, config.block_shape(seed, layer))

    def forward(self, x: Tensor, view: View, position: Any, cache: Cache | None) -> tuple[Tensor, Tensor | None]:
        pre, weights = self.config.norm.place == "pre", None

        def attend(x: Tensor) -> Tensor:
            nonlocal weights
            found, weights = self._attended(self.attention_norm(x) if pre else x, view, position, cache)
            return self._dropped(found)

        def feed(x: Tensor) -> Tensor:
            return self._dropped(self.feedforward(self.feedforward_norm(x) if pre else x))

        if hasattr(self.residual, "block"):
            return self.residual.block(x, attend, feed), weights
        x = self._added(x, attend, "attention")
        x = x if pre else self.attention_norm(x)
        x = self._added(x, feed, "feedforward")
        return x if pre else self.feedforward_norm(x), weights

    def _added(self, x: Tensor, part: Callable[[Tensor], Tensor], name: str) -> Tensor:
        return self.residual.add(x, part, name) if hasattr(self.residual, "add") else x + part(x)

    def _attended(self, x: Tensor, view: View, position: Any, cache: Cache | None) -> tuple[Tensor, Tensor | None]:
        """What tokens hear from others: through the mixer, through attention, or both."""
        if hasattr(self.mixer, "mix"):
            x = self._mixed(x, view, cache)
        if self.attention is None:
            return x, None
        found: tuple[Tensor, Tensor | None] = self.attention(x, view, position, cache)
        return found

    def _mixed(self, x: Tensor, view: View, cache: Cache | None) -> Tensor:
        """The mixer is given all tokens so far, and its last vectors are those of the tokens that come in."""
        whole = view.unpack(x)  # B, T, D
        if view.keep is not None:
            whole = whole * view.keep[:, -whole.shape[1] :, None]
        new = whole.shape[1]
        whole = whole if cache is None else cache.extend(whole)
        mixed: Tensor = self.mixer.mix(whole, view.keep)
        return view.pack(mixed[:, mixed.shape[1] - new :])

    def _dropped(self, x: Tensor) -> Tensor:
        return dropout(x, share) if self.training and (share := self.config.dropout_of("residual")) else x


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
            self.head.weight = self.tokens.weight

    def _build(self, seed: int) -> None:
        config = self.config
        self.tokens = build(config.embedding, config.shape(seed))
        self.types = nn.Embedding(config.token_types, config.width) if config.token_types else None
        self.embedding_norm = build(config.norm, config.width) if config.embedding_norm else None
        with seeded(seed, "position"):
            self.position = build(config.position, config.shape(seed))
        blocks = []
        for layer in range(max(config.blocks) + 1):
            with seeded(seed, f"merge {layer}"):
                merge = build(config.merge, config.shape(seed * 1000 + layer))
                blocks.append(TransformerBlock(config, merge, seed, layer))
        self.blocks = nn.ModuleList(blocks)
        self.norm = build(config.norm, config.width) if config.norm.place == "pre" else None
        self.pool: Any = None
        self.head: Any = None
        if config.output == "classes":
            with seeded(seed, "pool"):
                self.pool = build(config.pool, config.shape(seed))
        if config.output != "vectors":
            with seeded(seed, "head"):
                self.head = build(config.head, config.shape(seed))
        with seeded(seed, "objective"):
            self.objective = build(config.objective, config.shape(seed)) if config.output == "tokens" else None
        needs_reading = hasattr(self.head, "logits") and not getattr(self.head, "plain_in_training", False)
        if needs_reading and hasattr(self.objective, "added"):
            raise InputError(
                f"objective={written_as(config.objective)} asks for the logits of vectors alone, and "
                f"head={written_as(config.head)} needs the text too: take one of the two."
            )

    @property
    def device(self) -> torch.device:
        """Where the model is."""
        return next(self.parameters()).device

    @property
    def counts_text(self) -> bool:
        """Whether some part wants to look at the training text before training."""
        return any(hasattr(part, "learn_from") for part in (self.tokens, self.head))

    def learn_from(self, text: TrainingText) -> None:
        """Let the parts that count something look at the training text."""
        for part in (self.tokens, self.head):
            if hasattr(part, "learn_from"):
                part.learn_from(text)

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
        text = caches[0].read(ids) if caches and self._looks_back else ids
        first = text.shape[1] - ids.shape[1]
        reach = min(self.config.embedding.reach, first)
        x = self.tokens.vectors(text[:, first - reach :])[:, reach:]  # B, T, D
        if self.types is not None:
            x = x + self.types(torch.zeros_like(ids) if types is None else types)
        if hasattr(self.position, "embed"):
            x = self.position.embed(x, view.positions)
        if self.embedding_norm is not None:
            x = self.embedding_norm(x)
        if self.training and (share := self.config.dropout_of("embedding")):
            x = dropout(x, share)
        x, maps = self._through_blocks(view.pack(x), view, caches)
        x = x if self.norm is None else self.norm(x)
        hidden = view.unpack(x)
        if targets is not None:
            return Output(hidden.new_empty(0), hidden, tuple(maps), self._loss(x, hidden, view, ids, targets))
        vectors = caches[0].recall(hidden) if caches and self._looks_back else hidden
        reading = Reading(text, vectors, mask)
        return Output(self.logits(hidden, reading, last, places), hidden, tuple(maps))

    @property
    def _looks_back(self) -> bool:
        """Whether the embedding or the head asks for earlier tokens."""
        return bool(self.config.embedding.reach or (self.head is not None and self.config.head.reach))

    def _through_blocks(self, x: Tensor, view: View, caches: list[Cache] | None) -> tuple[Tensor, list[Tensor]]:
        """What the last block gives, and the attention weights that were wanted."""
        residual, maps = self.config.residual, []
        x = residual.begin(x) if hasattr(residual, "begin") else x
        entered, left = list[Tensor](), [x]
        asked = works_in_attention(self.position)
        for layer, number in enumerate(self.config.blocks):
            block: Any = self.blocks[number]
            hears = hasattr(block.residual, "enter")
            if hears:
                x = block.residual.enter(entered, left)
                entered.append(x)
            position = self.position if asked and self.config.position.used(layer) else None
            x, found = block(x, view, position, caches[layer] if caches else None)
            if hears:
                left.append(x)
            if found is not None:
                maps.append(found)
        return (residual.end(x) if hasattr(residual, "end") else x), maps

    def logits(self, hidden: Tensor, reading: Reading, last: int | None = None, places: Tensor | None = None) -> Tensor:
        """The logits of vectors (B, T, D) after the last norm, as `forward` has them; the reading ends with them."""
        if self.head is None:
            return hidden
        if self.pool is not None:
            mask = reading.mask
            everything = torch.ones(hidden.shape[:2], dtype=torch.bool, device=hidden.device)
            pooled = self.pool.pool(hidden, everything if mask is None else mask)  # B, D
            return self.predict(pooled, reading)
        if not hasattr(self.head, "logits"):  # It needs the vectors alone, in any shape.
            if places is not None:
                hidden = hidden[places]  # N, D
            if last is not None and self.config.causal:
                hidden = hidden[:, hidden.shape[1] - last :]
            return self.predict(hidden, reading)
        asked = torch.ones(hidden.shape[:2], dtype=torch.bool, device=hidden.device) if places is None else places
        if last is not None and self.config.causal:
            asked = asked & (torch.arange(hidden.shape[1], device=hidden.device) >= hidden.shape[1] - last)
        rows, columns = asked.nonzero(as_tuple=True)
        before = reading.ids.shape[1] - hidden.shape[1]
        logits = self.predict(hidden[rows, columns], replace(reading, rows=rows, columns=columns + before))
        if places is not None:
            return logits
        return logits.view(len(hidden), len(rows) // len(hidden), logits.shape[-1])

    def predict(self, x: Tensor, reading: Reading) -> Tensor:
        """The logits of vectors that belong to texts."""
        found: Tensor = self.head.logits(x, reading) if hasattr(self.head, "logits") else self.head(x)
        return found

    def _loss(self, x: Tensor, hidden: Tensor, view: View, ids: Tensor, targets: Targets) -> Tensor:
        assert self.config.output == "tokens"
        wanted = view.pack(targets.ids[..., None]).flatten()
        x = x.view(-1, x.shape[-1])
        plain = self.training and getattr(self.head, "plain_in_training", False)
        if plain or not hasattr(self.head, "logits"):
            loss = head_loss(self.head, x, replace(targets, ids=wanted))
        else:
            rows, columns = view.real(ids)
            kept = wanted != IGNORE
            x, wanted, rows, columns = x[kept], wanted[kept], rows[kept], columns[kept]
            reading = Reading(ids, hidden, view.keep, rows, columns, wanted if self.training else None)
            loss = plain_loss(lambda chosen: self.predict(chosen, reading), x, wanted, targets)
        if not self.training or not hasattr(self.objective, "added"):
            return loss
        objective: Any = self.objective
        added: Tensor = objective.added(hidden, targets.ids, self.head, targets.count)
        return loss + added

    def _check(self, ids: Tensor, before: int) -> None:
        """Refuse what would end in an error deep inside."""
        if ids.dim() != 2 or not ids.numel():
            raise InputError(
                f"A model needs ids of shape (texts, tokens) with at least one token, not {tuple(ids.shape)}."
            )
        if torch.compiler.is_exporting():  # There are no values then, and any length is to work.
            return
        low, high = (int(end) for end in ids.aminmax())
        if low < 0 or high >= self.config.vocabulary:
            wrong = low if low < 0 else high
            raise InputError(f"The id {wrong} is out of range: the vocabulary has {self.config.vocabulary:,} entries.")
        limit = self.config.longest
        if limit is not None and before + ids.shape[1] > limit:
            raise InputError(
                f"{before + ids.shape[1]} tokens are too long: the positions of this model end at {limit}. Shorten the "
                "text, or train with a larger context or with positions that have no end (rope, alibi, sinusoidal)."
            )


def build(mechanism: Mechanism, shape: Any) -> Any:
    """The part of a model that a mechanism gives: the module it builds, or itself if it learns nothing."""
    return mechanism.build(shape) if hasattr(mechanism, "build") else mechanism
