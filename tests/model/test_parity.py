"""Our mechanisms are the published ones: from the same weights, what the modules of `transformers` give.

Each module is called directly, with the masks its own model makes. Ours runs on the fast path and on the open one; both
see a batch with padding and one without, and what counts is the output (and the weights, where the other side gives
them) of every token that is not padding.

Shapes: B batch, T tokens, H heads, G heads of keys and values, D width, E width of a head.
"""

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from oratory.mechanisms import Position
from oratory.mechanisms.pattern.longformer import Longformer
from oratory.mechanisms.pattern.window import Window
from oratory.mechanisms.position.alibi import Alibi
from oratory.mechanisms.position.disentangled import Disentangled
from oratory.mechanisms.position.none import Absent
from oratory.mechanisms.position.rope import Rope
from oratory.mechanisms.position.t5 import T5
from oratory.model.attention import SelfAttention
from oratory.model.config import ModelConfig
from oratory.model.network import build
from oratory.model.sparse import plan
from oratory.model.view import View
from oratory.training.tasks import base

transformers: Any = pytest.importorskip(
    "transformers", "5.0", reason="parity is measured against transformers 5, which is not installed"
)

LIMIT = 1e-5
LENGTHS = (13, 37)
LONG = 521
"""A text long enough that a pattern is computed in blocks."""

Theirs = Callable[[Tensor, Tensor], tuple[Tensor, Tensor | None]]
"""Vectors (B, T, D) and which of them are not padding (B, T), to new vectors and, where there are some, weights."""


def gpt_neox(share: float, base: float = 10000.0) -> float:
    """Rotary positions, of all columns of a head or the first ones; queries, keys and values in one matrix."""
    code, heads, columns = published("gpt_neox"), 3, 16
    settings = transformers.GPTNeoXConfig(
        hidden_size=heads * columns,
        num_attention_heads=heads,
        rotary_pct=share,
        rotary_emb_base=base,
        attn_implementation="eager",
    )
    module, waves = filled(code.GPTNeoXAttention(settings, layer_idx=0)), code.GPTNeoXRotaryEmbedding(settings)

    def theirs(x: Tensor, keep: Tensor) -> Any:
        return module(x, masks().create_causal_mask(settings, x, keep, None), position_embeddings=waves(x, count(x)))

    config = ours("lm", heads, columns, Rope(share=share, base=base), qkv_bias=True)
    return largest(config, split(module.query_key_value, heads) | named(output=module.dense), theirs)


def llama(base: float = 10000.0, columns: int = 10, step: int = 1) -> float:
    """Rotary positions of grouped heads; a step between tokens stands for a long text."""
    code, heads, groups = published("llama"), 6, 2
    settings = transformers.LlamaConfig(
        hidden_size=heads * columns,
        num_attention_heads=heads,
        num_key_value_heads=groups,
        rope_parameters={"rope_type": "default", "rope_theta": base},
        attn_implementation="eager",
    )
    module, waves = filled(code.LlamaAttention(settings, layer_idx=0)), code.LlamaRotaryEmbedding(settings)

    def theirs(x: Tensor, keep: Tensor) -> Any:
        return module(x, waves(x, step * count(x)), masks().create_causal_mask(settings, x, keep, None))

    config = ours("lm", heads, columns, Rope(base=base), kv_heads=groups, out_bias=False)
    return largest(config, projections(module), theirs, step=step)


def gptj(turned: int) -> float:
    """Rotary positions whose pairs of columns are neighbours."""
    code, heads, columns = published("gptj"), 3, 10
    settings = transformers.GPTJConfig(
        n_embd=heads * columns, n_head=heads, rotary_dim=turned, n_positions=64, attn_implementation="eager"
    )
    module = filled(code.GPTJAttention(settings, layer_idx=0))

    def theirs(x: Tensor, keep: Tensor) -> Any:
        mask = masks().create_causal_mask(settings, x, keep, None)
        return module(x, attention_mask=mask, position_ids=count(x).expand(len(x), -1))

    config = ours("lm", heads, columns, Rope(share=turned / columns, layout="interleaved"), out_bias=False)
    return largest(config, projections(module, output="out_proj"), theirs)


def bloom(heads: int) -> float:
    """Linear biases. BLOOM counts from the start of a text, which softmax cannot tell from a count of distances."""
    code, columns = published("bloom"), 7
    settings = transformers.BloomConfig(hidden_size=heads * columns, n_head=heads, attn_implementation="eager")
    module = filled(code.BloomAttention(settings, layer_idx=0))

    def theirs(x: Tensor, keep: Tensor) -> Any:
        alibi = code.build_alibi_tensor(keep.long(), heads, x.dtype)
        mask = masks().create_causal_mask(settings, x, keep, None)
        return module(x, torch.zeros_like(x), alibi, mask)

    config = ours("lm", heads, columns, Alibi(), qkv_bias=True)
    return largest(config, split(module.query_key_value, heads) | named(output=module.dense), theirs)


def deberta(span: int) -> float:
    """Disentangled attention with shared projections and a vector for each distance."""
    code, heads, columns = published("deberta_v2"), 3, 7
    settings = transformers.DebertaV2Config(
        hidden_size=heads * columns,
        num_attention_heads=heads,
        num_hidden_layers=1,
        intermediate_size=1,
        relative_attention=True,
        max_relative_positions=span,
        position_buckets=-1,
        pos_att_type="c2p|p2c",
        share_att_key=True,
    )
    encoder = filled(code.DebertaV2Encoder(settings))
    module = encoder.layer[0].attention.self

    def theirs(x: Tensor, keep: Tensor) -> Any:
        vectors, distances = encoder.get_rel_embedding(), encoder.get_rel_pos(x)
        mask = encoder.get_attention_mask(keep.long())
        return module(x, mask, output_attentions=True, relative_pos=distances, rel_embeddings=vectors)

    config = ours("encoder", heads, columns, Disentangled(span=span), qkv_bias=True, out_bias=False)
    linear = named(query=module.query_proj, key=module.key_proj, value=module.value_proj) | as_it_is(config)
    return largest(config, linear, theirs, table=encoder.rel_embeddings.weight)


def t5(causal: bool, buckets: int, reach: int) -> float:
    """Biases by bucket of distance, in an encoder and in a decoder, on texts that go beyond the reach."""
    code, heads, columns, width = published("t5"), 3, 5, 11
    settings = transformers.T5Config(
        d_model=width,
        num_heads=heads,
        d_kv=columns,
        relative_attention_num_buckets=buckets,
        relative_attention_max_distance=reach,
        is_decoder=causal,
        attn_implementation="eager",
    )
    module = filled(code.T5Attention(settings, has_relative_attention_bias=True, layer_idx=0, is_causal=causal))

    def theirs(x: Tensor, keep: Tensor) -> tuple[Tensor, Tensor]:
        make = masks().create_causal_mask if causal else masks().create_bidirectional_mask
        out, _, weights = module(x, mask=make(settings, x, keep, past_key_values=None))
        return out, weights

    position = T5(buckets=buckets, reach=reach)
    config = ours("lm" if causal else "encoder", heads, columns, position, width=width, out_bias=False)
    linear = named(query=module.q, key=module.k, value=module.v, output=module.o)
    return largest(config, linear, theirs, (13, reach + 20), table=module.relative_attention_bias.weight)


def mistral(size: int, lengths: tuple[int, ...] = LENGTHS) -> float:
    """A window that holds the token itself and those before it, with rotary positions and grouped heads."""
    code, heads, groups, columns = published("mistral"), 4, 2, 6
    settings = transformers.MistralConfig(
        hidden_size=heads * columns,
        num_attention_heads=heads,
        num_key_value_heads=groups,
        head_dim=columns,
        sliding_window=size,
        attn_implementation="eager",
    )
    module, waves = filled(code.MistralAttention(settings, layer_idx=0)), code.MistralRotaryEmbedding(settings)

    def theirs(x: Tensor, keep: Tensor) -> Any:
        return module(x, waves(x, count(x)), masks().create_sliding_window_causal_mask(settings, x, keep, None))

    config = ours("lm", heads, columns, Rope(), kv_heads=groups, out_bias=False, pattern=Window(size=size))
    return largest(config, projections(module), theirs, lengths)


def longformer(size: int, global_tokens: int, lengths: tuple[int, ...] = LENGTHS) -> float:
    """A window to both sides and global tokens at the start.

    Longformer's window is the width of both sides together, without the token itself. Its second set of projections
    gets the values of the first, since ours has one.
    """
    code, heads, columns, window = published("longformer"), 3, 7, 2 * (size - 1)
    settings = transformers.LongformerConfig(
        hidden_size=heads * columns, num_attention_heads=heads, num_hidden_layers=1, attention_window=[window]
    )
    module = filled(code.LongformerSelfAttention(settings, layer_id=0))
    for name in ("query", "key", "value"):
        getattr(module, f"{name}_global").load_state_dict(getattr(module, name).state_dict())

    def theirs(x: Tensor, keep: Tensor) -> tuple[Tensor, None]:
        length = x.shape[1]
        more = -length % window  # the model fills up texts to a multiple of the window, and cuts them again
        vectors = nn.functional.pad(x, (0, 0, 0, more))
        kept = nn.functional.pad(keep, (0, more))
        # As the module wants it: below zero for padding, above for global tokens.
        is_global = kept & (torch.arange(length + more) < global_tokens)
        mask = 10000.0 * (is_global.float() - (~kept).float())
        out = module(vectors, mask, mask < 0, mask > 0, bool((mask > 0).any()))[0]
        return out[:, :length], None

    pattern = Longformer(size=size, global_tokens=global_tokens)
    config = ours("encoder", heads, columns, Absent(), qkv_bias=True, out_bias=False, pattern=pattern)
    linear = named(query=module.query, key=module.key, value=module.value) | as_it_is(config)
    return largest(config, linear, theirs, lengths, left=False)  # the global tokens would be padding


PARITY: dict[str, Callable[[], float]] = {
    "GPT-NeoX: rope": partial(gpt_neox, 1.0),
    "GPT-NeoX: rope, a quarter of the columns": partial(gpt_neox, 0.25),
    "GPT-NeoX: rope, three quarters, base 500": partial(gpt_neox, 0.75, 500.0),
    "Llama: rope, grouped heads": llama,
    "Llama: rope, base 500,000": partial(llama, 500000.0),
    "Llama: rope, base 500,000, 64 columns, positions to 32,760": partial(llama, 500000.0, 64, 910),
    "GPT-J: rope, interleaved": partial(gptj, 10),
    "GPT-J: rope, interleaved, 4 of 10 columns": partial(gptj, 4),
    **{f"BLOOM: alibi, {heads} heads": partial(bloom, heads) for heads in (3, 5, 6, 8, 12)},
    **{f"DeBERTa-v2: disentangled, span {span}": partial(deberta, span) for span in (1, 4, 9, 64)},
    "T5: encoder": partial(t5, False, 32, 128),
    "T5: encoder, 10 buckets up to 23": partial(t5, False, 10, 23),
    "T5: decoder": partial(t5, True, 32, 128),
    "T5: decoder, 7 buckets up to 23": partial(t5, True, 7, 23),
    **{f"Mistral: window {size}": partial(mistral, size) for size in (1, 4, 16)},
    f"Mistral: window 16, {LONG} tokens in blocks": partial(mistral, 16, (LONG,)),
    **{f"Longformer: window 3, {tokens} global tokens": partial(longformer, 3, tokens) for tokens in (0, 2, 4)},
    "Longformer: window 6, 1 global token": partial(longformer, 6, 1),
    f"Longformer: window 9, 3 global tokens, {LONG} tokens in blocks": partial(longformer, 9, 3, (LONG,)),
}
"""What is compared, each to the largest absolute difference."""


@pytest.mark.parametrize("name", PARITY)
def test_our_attention_gives_what_the_published_module_gives(name: str) -> None:
    assert PARITY[name]() < LIMIT


def test_a_wrong_mechanism_is_noticed() -> None:
    """The comparison can fail: here a window is one token too wide."""
    heads, columns = 3, 7
    config, wrong = (ours("lm", heads, columns, Alibi(), pattern=Window(size=size)) for size in (4, 5))
    module = filled(SelfAttention(config, None))

    def theirs(x: Tensor, keep: Tensor) -> tuple[Tensor, Tensor | None]:
        out, weights = module(x, View(config, count(x)[0], count(x)[0], keep, weights=True), Alibi())
        return out, weights

    linear = dict(module.state_dict())
    assert largest(config, linear, theirs) < LIMIT
    assert largest(wrong, linear, theirs) > 100 * LIMIT


@torch.no_grad()
def largest(
    config: ModelConfig,
    linear: dict[str, Tensor],
    theirs: Theirs,
    lengths: tuple[int, ...] = LENGTHS,
    table: Tensor | None = None,
    left: bool = True,
    step: int = 1,
) -> float:
    """The largest difference between our attention with these weights and theirs, on both paths, padded and not."""
    attention = SelfAttention(config, build(config.merge, config.shape())).eval()
    attention.load_state_dict(linear)
    position = build(config.position, config.shape())
    if table is not None:
        position.load_state_dict({"table.weight": table})
    worst = 0.0
    for length in lengths:
        if length == LONG and hasattr(config.pattern, "allow"):
            assert plan(config.pattern, config.causal, length) is not None
        positions = step * torch.arange(length)
        for keep in (padding(length, left), None):
            x = torch.randn(3, length, config.width, generator=torch.Generator().manual_seed(length))
            everything = torch.ones(3, length, dtype=torch.bool)
            kept = everything if keep is None else keep
            expected, their_weights = theirs(x.clone(), kept)
            fast, _ = attention(x, View(config, positions, positions, keep), position)
            opened, weights = attention(x, View(config, positions, positions, keep, weights=True), position)
            pairs = [(fast, expected), (opened, expected)]
            if their_weights is not None:
                pairs.append((weights.transpose(1, 2), their_weights.transpose(1, 2)))  # B, T, H, T
            worst = max(worst, *(float((one[kept] - other[kept]).abs().max()) for one, other in pairs))
    return worst


def ours(model: str, heads: int, columns: int, position: Position, **changes: Any) -> ModelConfig:
    """The configuration of one layer."""
    values: dict[str, Any] = {"width": heads * columns, "head_size": columns, "layers": 1} | changes
    return base(model, 1, heads=heads, position=position, **values)


def padding(length: int, left: bool) -> Tensor:
    """Three texts: a whole one, one with padding behind, and one with padding before (or more of it behind)."""
    keep = torch.ones(3, length, dtype=torch.bool)
    keep[1, -length // 3 :] = False
    if left:
        keep[2, :5] = False
    else:
        keep[2, 5:] = False
    return keep


def filled(module: Any) -> Any:
    """The module with random weights that make attention uneven, ready for inference."""
    generator = torch.Generator().manual_seed(7)
    for parameter in module.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator) * parameter.shape[-1] ** -0.5
    return module.eval()


def published(family: str) -> Any:
    """The file of a family of models in transformers."""
    return import_module(f"transformers.models.{family}.modeling_{family}")


def masks() -> Any:
    """How the models of transformers make their masks."""
    return import_module("transformers.masking_utils")


def count(x: Tensor) -> Tensor:
    """Positions from 0: (1, T)."""
    return torch.arange(x.shape[1])[None]


def named(**linear: nn.Linear) -> dict[str, Tensor]:
    """The values of linear maps under our names."""
    return {f"{name}.{key}": value for name, part in linear.items() for key, value in part.state_dict().items()}


def projections(module: Any, output: str = "o_proj") -> dict[str, Tensor]:
    """The four maps where they have the usual names."""
    return named(query=module.q_proj, key=module.k_proj, value=module.v_proj, output=getattr(module, output))


def split(joint: nn.Linear, heads: int) -> dict[str, Tensor]:
    """Three maps out of one, whose rows go by head and then by query, key and value."""
    weight = joint.weight.view(heads, 3, -1, joint.in_features)  # H, 3, E, D
    bias = joint.bias.view(heads, 3, -1)
    parts = {}
    for index, name in enumerate(("query", "key", "value")):
        parts[f"{name}.weight"] = weight[:, index].flatten(0, 1)
        parts[f"{name}.bias"] = bias[:, index].flatten()
    return parts


def as_it_is(config: ModelConfig) -> dict[str, Tensor]:
    """The output map of a module that has none."""
    return {"output.weight": torch.eye(config.width)}
