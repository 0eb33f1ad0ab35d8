"""The models of x-transformers."""

from typing import TYPE_CHECKING, Any

from torch import nn

from oratory.bench.peer import Forward, Peer
from oratory.bench.work import Call

if TYPE_CHECKING:
    from oratory.model import ModelConfig


class XTransformers(Peer):
    """A decoder and an encoder of x-transformers, with fused attention."""

    name = "x-transformers"
    needs = "x_transformers"
    tasks = ("classifier", "lm")
    generates = True

    def model(self, task: str, config: "ModelConfig") -> tuple[nn.Module, Forward]:
        from x_transformers import Decoder, Encoder, TransformerWrapper

        kind: Any = Decoder if config.causal else Encoder
        ends = {} if config.causal else {"logits_dim": config.classes, "average_pool_embed": True}
        layers = kind(
            dim=config.width,
            depth=config.layers,
            heads=config.heads,
            attn_dim_head=config.columns,
            attn_flash=True,
            ff_mult=self.hidden(config) / config.width,
            ff_custom_activation=nn.ReLU(),
        )
        module: Any = TransformerWrapper(
            num_tokens=config.vocabulary, max_seq_len=config.context, attn_layers=layers, **ends
        )
        return module, lambda ids, mask: module(ids, mask=mask)

    def generation(self, model: Any, tokens: int) -> Call:
        import torch
        from x_transformers import AutoregressiveWrapper

        wrapped = AutoregressiveWrapper(model)
        prompt = torch.ones(1, 1, dtype=torch.long)
        return lambda: wrapped.generate(prompt, tokens, cache_kv=True)
