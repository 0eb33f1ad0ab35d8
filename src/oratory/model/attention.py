"""Attention, written out. It has two paths with equal results: a fast one, fused and without weights, and an open one.

Shapes: B batch, T tokens, Q queries, K keys, H heads, G heads of keys and values, D width, E width of a head.
"""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import dropout, linear, pad

from oratory.mechanisms import Scene, Sight
from oratory.model.config import ModelConfig
from oratory.model.kernels import attend
from oratory.model.sparse import Plan, plan
from oratory.model.view import Cache, View, added_by, opened


class SelfAttention(nn.Module):
    """Multi-head attention with injected position, pattern, merge, and what turns scores into outputs."""

    def __init__(self, config: ModelConfig, merge: Any, kind: Any = None) -> None:
        super().__init__()
        self.config = config
        self.merge = merge
        self.kind = config.attention if kind is None else kind
        inner, groups = config.heads * config.columns, config.groups * config.columns
        self.query = nn.Linear(config.width, inner, bias=config.qkv_bias)
        self.key = nn.Linear(config.width, groups, bias=config.qkv_bias)
        self.value = nn.Linear(config.width, groups, bias=config.qkv_bias)
        self.output = nn.Linear(inner, config.width, bias=config.out_bias)

    def forward(self, x: Tensor, view: View, position: Any, cache: Cache | None = None) -> tuple[Tensor, Tensor | None]:
        """New vectors for the tokens (packed, as they come), and the weights (B, H, Q, K) where they are wanted."""
        q, k, v = self._queries_keys_values(x, view, cache)
        if hasattr(self.kind, "prepare"):
            q, k = self.kind.prepare(q, k)
        v = own = self._values(v, view)
        if hasattr(position, "rotate"):
            q, k = position.rotate(q, k, view.positions, view.positions)
        if cache is not None:
            k, v = cache.append(k, v)
        k, v = self._for_all_heads(k), self._for_all_heads(v)
        out, weights = self._attend(q, k, v, view, position)
        return self._merged(out, x, own, view), weights

    def from_weights(self, x: Tensor, weights: Tensor, view: View) -> Tensor:
        """What attention gives for its input when its weights are these."""
        own = self._values(self._queries_keys_values(x, view)[2], view)
        return self._merged(weights @ self._for_all_heads(own), x, own, view)

    def _values(self, v: Tensor, view: View) -> Tensor:
        if not hasattr(self.kind, "values"):
            return v
        changed: Tensor = self.kind.values(v, view.first.setdefault("values", v))
        return changed

    def _for_all_heads(self, part: Tensor) -> Tensor:
        """B, G, T, E as B, H, T, E: each query head with the keys or values that it shares."""
        repeats = self.config.heads // self.config.groups
        return part if repeats == 1 else part.repeat_interleave(repeats, dim=1)

    def _merged(self, out: Tensor, x: Tensor, own: Tensor, view: View) -> Tensor:
        """The vectors that what was found (B, H, T, E) becomes, packed as x is."""
        if hasattr(self.kind, "outputs"):
            out = self.kind.outputs(out, view.unpack(x), self._for_all_heads(own))
        heads = out.transpose(1, 2)  # B, T, H, E
        if hasattr(self.merge, "merge"):
            heads = self.merge.merge(heads, self.training)
        merged: Tensor = self.output(view.pack(heads.flatten(2)))
        return merged

    def _queries_keys_values(self, x: Tensor, view: View, cache: Cache | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Queries (B, H, Q, E), keys and values (B, G, K, E), from one matrix product."""
        heads, groups = self.config.heads, self.config.groups
        found = linear(x, *(self._joined() if cache is None else cache.joined(self._joined)))
        by_head = self._heads(view.unpack(found), heads + 2 * groups)  # B, H + 2 G, T, E
        q, k, v = by_head.split_with_sizes((heads, groups, groups), dim=1)
        return q, k, v

    def _joined(self) -> tuple[Tensor, Tensor | None]:
        """The weights of queries, keys and values as one, and their biases."""
        parts = (self.query, self.key, self.value)
        bias = torch.cat([part.bias for part in parts]) if self.config.qkv_bias else None
        return torch.cat([part.weight for part in parts]), bias

    def _attend(self, q: Tensor, k: Tensor, v: Tensor, view: View, position: Any) -> tuple[Tensor, Tensor | None]:
        config = self.config
        lost = config.dropout_of("attention") if self.training else 0.0
        if (causal := self._plainly(q, k, view, position)) is not None:
            return attend(q, k, v, None, causal, config.position.scale(config.columns), lost), None
        scene = Scene(
            q_positions=view.positions[None],
            k_positions=view.k_positions[None],
            scale=config.position.scale(config.columns),
            causal=config.causal,
            project_q=lambda vectors: self._project(self.query, vectors, config.heads),
            project_k=lambda vectors: self._project(self.key, vectors, config.groups),
        )
        if view.weights:
            return _open(q, k, v, position, self.kind, scene, view, lost)
        if hasattr(position, "score") or hasattr(self.kind, "weigh"):
            return _open(q, k, v, position, self.kind, scene, view, lost)[0], None
        # A plan is for one length, and what is exported is for all.
        planned = q.shape[2] == k.shape[2] and not torch.compiler.is_exporting()
        found = plan(config.pattern, config.causal, q.shape[2]) if planned else None
        if found is not None:
            return self._by_plan(found.to(q.device), q, k, v, position, scene, view, lost), None
        return _fused(q, k, v, view.added(position, q, k, scene), view.mask[1], scene, lost), None

    def _plainly(self, q: Tensor, k: Tensor, view: View, position: Any) -> bool | None:
        """Whether the fused kernel is to hide the future, where it needs nothing else; None where it does."""
        if view.weights or view.keep is not None or hasattr(self.config.pattern, "allow"):
            return None
        if hasattr(position, "score") or hasattr(position, "bias") or hasattr(self.kind, "weigh"):
            return None
        if not self.config.causal:
            return False
        if q.shape[2] == 1 and not torch.compiler.is_exporting():  # The last token alone sees all before it.
            return False
        return True if q.shape[2] == k.shape[2] else None

    def _by_plan(
        self,
        found: Plan,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        position: Any,
        scene: Scene,
        view: View,
        lost: float,
    ) -> Tensor:
        """Runs of queries with their keys, as a larger batch: N runs of C queries and U keys."""
        batch, heads, length, columns = q.shape
        runs, run = found.queries.shape

        def as_batch(part: Tensor, places: Tensor) -> Tensor:
            """The tokens of B, H, T, E at the places (N, .), as B N, H, ., E."""
            chosen = part.transpose(1, 2).index_select(1, places.flatten())  # B, N ., H, E
            return chosen.view(batch * runs, -1, heads, columns).transpose(1, 2)

        mask, blind = found.allowed[:, None], found.blind  # N, 1, C, U
        if view.keep is not None:
            kept = view.keep[:, found.keys][:, :, None, None]  # B, N, 1, 1, U
            mask, hidden = opened((found.allowed[None, :, None] & kept).flatten(0, 1))
            blind = hidden if blind is None else hidden | blind.repeat(batch, 1, 1, 1)
        elif batch > 1:
            mask = mask.repeat(batch, 1, 1, 1)
            blind = blind if blind is None else blind.repeat(batch, 1, 1, 1)
        here = replace(scene, q_positions=found.queries.repeat(batch, 1), k_positions=found.keys.repeat(batch, 1))
        keys, values = as_batch(k, found.keys), as_batch(v, found.keys)
        if len(found.wide):
            own = as_batch(q, found.queries.clamp(max=length - 1))
        else:  # All runs, one after the other: the queries as they are, with some more to fill the last run.
            filled = pad(q.transpose(1, 2), (0, 0, 0, 0, 0, runs * run - length))
            own = filled.reshape(batch * runs, run, heads, columns).transpose(1, 2)
        added = added_by(position, own, keys, here, mask)
        out = _fused(own, keys, values, added, blind, here, lost)  # B N, H, C, E
        out = out.transpose(1, 2).reshape(batch, runs * run, heads, columns)
        if not len(found.wide):
            return out[:, :length].transpose(1, 2)
        rows = replace(scene, q_positions=found.wide[None])
        seen, none_seen = opened(view.mask_of(found.wide))
        queries = q[:, :, found.wide]
        wide = _fused(queries, k, v, added_by(position, queries, k, rows, seen), none_seen, rows, lost).transpose(1, 2)
        # Each token's place in what was computed; the last run may be longer than the text.
        return torch.cat([out, wide], dim=1).index_select(1, found.places).transpose(1, 2)

    def _heads(self, x: Tensor, heads: int) -> Tensor:
        return x.view(*x.shape[:2], heads, self.config.columns).transpose(1, 2)  # B, heads, T, E

    def _project(self, projection: nn.Linear, vectors: Tensor, heads: int) -> Tensor:
        by_head = self._heads(projection(vectors)[None], heads)[0]  # heads, N, E
        return by_head.repeat_interleave(self.config.heads // heads, dim=0)


def _open(
    q: Tensor, k: Tensor, v: Tensor, position: Any, kind: Any, scene: Scene, view: View, lost: float
) -> tuple[Tensor, Tensor]:
    """Weights, written out: the softmax of the scores, unless the attention has a way of its own.

    A query that may see nothing has no weights, and gets zeros.
    """

    def scores(q: Tensor, k: Tensor) -> Tensor:
        found = (q @ k.transpose(-1, -2)) * scene.scale  # B, H, Q, K
        if hasattr(position, "bias"):
            found = found + position.bias(q, k, scene)
        return position.score(found, q, k, scene) if hasattr(position, "score") else found

    mask, blind = view.mask
    sight = Sight(scores, mask)
    weights = kind.weigh(q, k, sight) if hasattr(kind, "weigh") else sight.hide(scores(q, k)).softmax(-1)
    if blind is not None:
        weights = weights.masked_fill(blind, 0.0)
    return dropout(weights, lost) @ v, weights


def _fused(q: Tensor, k: Tensor, v: Tensor, added: Tensor, blind: Tensor | None, scene: Scene, lost: float) -> Tensor:
    """The same through the fused kernel, which takes the mask and what is added to scores as one."""
    out = attend(q, k, v, added, False, scene.scale, lost)
    return out if blind is None else out.masked_fill(blind, 0.0)
