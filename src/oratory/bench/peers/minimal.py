"""A minimal GPT, as textbooks write it: one map to queries, keys and values, fused attention, and no library."""

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from oratory.bench.peer import Forward, Peer
from oratory.bench.work import Call

if TYPE_CHECKING:
    from oratory.model import ModelConfig


class Minimal(Peer):
    """A minimal GPT."""

    name = "minimal GPT"
    tasks = ("lm",)
    generates = True

    def model(self, task: str, config: "ModelConfig") -> tuple[nn.Module, Forward]:
        module = MinimalGPT(config)
        return module, lambda ids, mask: module(ids)

    def generation(self, model: nn.Module, tokens: int) -> Call:
        @torch.no_grad()
        def draw() -> Tensor:
            ids = torch.ones(1, 1, dtype=torch.long)
            for _ in range(tokens):
                drawn = torch.multinomial(model(ids)[:, -1].softmax(-1), 1)
                ids = torch.cat([ids, drawn], dim=1)
            return ids

        return draw


class MinimalBlock(nn.Module):
    """Attention and feed-forward, each after a norm."""

    def __init__(self, width: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.heads = heads
        self.attention_norm, self.feedforward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feedforward = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, width))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        by_head = self.qkv(self.attention_norm(x)).view(batch, length, 3 * self.heads, -1).transpose(1, 2)
        q, k, v = by_head.chunk(3, dim=1)
        found = scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(found.transpose(1, 2).reshape(batch, length, width))
        fed: Tensor = x + self.feedforward(self.feedforward_norm(x))
        return fed


class MinimalGPT(nn.Module):
    """Ids to logits."""

    def __init__(self, config: "ModelConfig") -> None:
        super().__init__()
        self.tokens = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.context, config.width)
        sizes = (config.width, config.heads, Peer.hidden(config))
        self.blocks = nn.Sequential(*(MinimalBlock(*sizes) for _ in range(config.layers)))
        self.norm = nn.LayerNorm(config.width)
        self.head = nn.Linear(config.width, config.vocabulary)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        logits: Tensor = self.head(self.norm(self.blocks(x)))
        return logits
